/**
 * Measures the cost of work in CPU time of this process: the minimum of several runs, which limits the noise of a busy
 * machine.
 */

/** @param enough a cost below it needs no further run. @returns milliseconds. */
export async function measureCost(work: () => unknown, { tries = 5, enough = 0 } = {}): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < tries && least >= enough; turn += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Below this number of milliseconds the clock is too coarse. */
const minMeasurableMs = 0.5;
/** A garbage collection can slow several runs of one size; a quadratic cost shows in each. */
const maxRounds = 10;

/** The ratio of the cost at size 4n to the cost at size n: 4 where it is linear, 16 where it is quadratic. */
export async function measureGrowth<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const [small, large] = [make(size), make(4 * size)];
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 0; round < maxRounds && growth >= maxLinearGrowth; round += 1) {
    // First, so that the runs at the small size are compiled: a cost that is too high there would hide a growth.
    const cost = await measureCost(() => work(large), { tries: 1 });
    growth = Math.min(growth, cost / Math.max(await measureCost(() => work(small), { tries: 3 }), minMeasurableMs));
  }
  return growth;
}

/** Between linear and quadratic, with room for garbage collection. */
export const maxLinearGrowth = 9;
