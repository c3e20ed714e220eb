/** Budgets of a run: the time is shared out evenly, and what one suite leaves goes to those after it. */
import type { Budget } from './suite.ts';

export interface Limits {
  readonly seed: number;
  /** Of the whole run. */
  readonly milliseconds: number;
  readonly count: number;
  readonly signal: AbortSignal;
  readonly plant?: string | undefined;
}

/** The budget of the next suite of `left` that have yet to run, at `now` of a run that began at `startedAt`. */
export function nextBudget(limits: Limits, startedAt: number, left: number, log: (line: string) => void): Budget {
  const { seed, count, signal, plant } = limits;
  const now = performance.now();
  const end = now + Math.max(0, startedAt + limits.milliseconds - now) / left;
  return { seed, count, signal, plant, log, until: () => performance.now() < end };
}

/** A budget of so many rounds, however long they take: for tests, which must not depend on the time. */
export function countBudget(count: number, seed = 1, plant?: string): Budget {
  return { seed, count, plant, until: () => true, log: () => {}, signal: new AbortController().signal };
}
