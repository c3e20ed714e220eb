/** Budgets of a run: the time is divided evenly over the suites; unused time goes to the later ones. */
import type { Budget } from './suite.ts';

export interface Limits {
  readonly seed: number;
  /** Time limit of the whole run. */
  readonly milliseconds: number;
  readonly count: number;
  readonly signal: AbortSignal;
  readonly seededBug?: string | undefined;
  readonly servers?: number | undefined;
}

/** Returns the budget of the next suite when `suitesLeft` suites remain in a run that started at `startedAt`. */
export function nextBudget(limits: Limits, startedAt: number, suitesLeft: number, log: (line: string) => void): Budget {
  const { seed, count, signal, seededBug, servers } = limits;
  const now = performance.now();
  const end = now + Math.max(0, startedAt + limits.milliseconds - now) / suitesLeft;
  return { seed, count, signal, seededBug, servers, log, hasTimeLeft: () => performance.now() < end };
}

/** Returns a budget limited by rounds only, for tests that must not depend on time. */
export function countBudget(count: number, seed = 1, seededBug?: string): Budget {
  return { seed, count, seededBug, hasTimeLeft: () => true, log: () => {}, signal: new AbortController().signal };
}
