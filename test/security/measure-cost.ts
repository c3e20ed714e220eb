/**
 * Measures the cost of work in CPU time of this process: the minimum of several runs, which limits the noise of a busy
 * machine.
 */

/** Milliseconds. */
export async function measureCost(work: () => unknown, tries = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < tries; turn += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Below this number of milliseconds the clock is too coarse. */
const minMeasurableMs = 0.5;

/** The ratio of the cost at size 4n to the cost at size n: 4 where it is linear, 16 where it is quadratic. */
export async function measureGrowth<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const [small, large] = [make(size), make(4 * size)];
  let growth = Number.POSITIVE_INFINITY;
  // A garbage collection can slow every run of one size; a quadratic cost shows in each round.
  for (let round = 0; round < 3 && growth >= maxLinearGrowth; round += 1) {
    const cost = await measureCost(() => work(large));
    growth = Math.min(growth, cost / Math.max(await measureCost(() => work(small)), minMeasurableMs));
  }
  return growth;
}

/** Between linear and quadratic, with room for garbage collection. */
export const maxLinearGrowth = 9;
