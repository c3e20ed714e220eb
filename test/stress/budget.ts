/** Budgets of a run: the time is shared out evenly, and what one suite leaves goes to those after it. */
import type { Budget } from './suite.ts';

export interface Limits {
  readonly seed: number;
  /** Of the whole run. */
  readonly milliseconds: number;
  readonly count: number;
  readonly signal: AbortSignal;
  readonly seededBug?: string | undefined;
}

/** The budget of the next suite of `left` that have yet to run, at `now` of a run that began at `startedAt`. */
export function nextBudget(limits: Limits, startedAt: number, suitesLeft: number, log: (line: string) => void): Budget {
  const { seed, count, signal, seededBug } = limits;
  const now = performance.now();
  const end = now + Math.max(0, startedAt + limits.milliseconds - now) / suitesLeft;
  return { seed, count, signal, seededBug, log, hasTimeLeft: () => performance.now() < end };
}

/** A budget of so many rounds, however long they take: for tests, which must not depend on the time. */
export function countBudget(count: number, seed = 1, seededBug?: string): Budget {
  return { seed, count, seededBug, hasTimeLeft: () => true, log: () => {}, signal: new AbortController().signal };
}
