/** How fast this machine is, for limits of elapsed time. */
import { measureCost } from '../../security/measure-cost.ts';

/** Milliseconds of CPU time of the reference work on the machine for which the limits were chosen. */
const referenceMs = 50;
const referenceText = JSON.stringify(Array.from({ length: 100_000 }, (_, at) => ({ id: `user-${at}`, at })));

/** Returns the factor of limits on this machine, at least 1. */
export async function measureSlowness(): Promise<number> {
  return Math.max(1, (await measureCost(() => JSON.parse(referenceText))) / referenceMs);
}
