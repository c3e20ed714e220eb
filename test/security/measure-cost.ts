/** What work costs, in CPU time of this process: the least of several tries, so that a busy machine changes little. */

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

/** Milliseconds below which a clock tells nothing. */
const minMeasurableMs = 0.5;

/** How the cost grows from inputs of size n to those of size 4n: 4 where it is linear, 16 where it is quadratic. */
export async function measureGrowth<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const [small, large] = [make(size), make(4 * size)];
  let growth = Number.POSITIVE_INFINITY;
  // A pause of the collector can fall into every try of one size; what is quadratic is so in each round.
  for (let round = 0; round < 3 && growth >= maxLinearGrowth; round += 1) {
    const cost = await measureCost(() => work(large));
    growth = Math.min(growth, cost / Math.max(await measureCost(() => work(small)), minMeasurableMs));
  }
  return growth;
}

/** Between linear and quadratic, with room for memory that has to be cleaned up. */
export const maxLinearGrowth = 9;
