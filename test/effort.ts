/**
 * How much work the tests do that could go on for ever: rounds of kills, crashes and races, runs of properties, entries
 * of matrices, sizes. `IAM_TEST_EFFORT` sets it, from 1 (the default, of `npm test`) to 100; the full run has 10.
 */
import process from 'node:process';

/** The least effort of a full run. */
const FULL_EFFORT = 10;

export const effort = parseEffort(process.env.IAM_TEST_EFFORT);

/**
 * Whether everything runs. A check that only the full run affords is declared by `test.runIf(isFullRun)` or
 * `describe.runIf(isFullRun)`, so that the report counts it as skipped.
 */
export const isFullRun = effort >= FULL_EFFORT;

/** Scales a number of rounds, runs or entries by the effort. @param atFull the number in a full run. */
export function rounds(atFull: number): number {
  return Math.max(1, Math.round((atFull * effort) / FULL_EFFORT));
}

/** @throws Error for anything but a whole number from 1 to 100. */
export function parseEffort(text = '1'): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 100) throw new Error(`IAM_TEST_EFFORT must be a whole number from 1 to 100, not "${text}"`);
  return value;
}
