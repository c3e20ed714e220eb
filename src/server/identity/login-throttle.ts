/**
 * Brute-force protection of passwords: throttles repeated failures per typed name and caller, and bounds them per name over
 * all callers (NIST SP 800-63B, 3.2.2). Known sources and devices of the user are served whatever strangers do.
 */
import { hash } from 'node:crypto';
import { type IamError, retryLater } from '../../contract/errors.ts';
import type { MonotonicClock } from '../monotonic-clock.ts';
import { AttemptSlots } from './attempt-slots.ts';
import { type LoginAttempt, LoginFailures } from './login-failures.ts';

export type { LoginAttempt } from './login-failures.ts';

export interface LoginThrottle {
  /**
   * Runs `verify`; a result that is undefined counts as a failure, a right one clears what this caller failed under this
   * name. No more run at once than may still fail, so parallel guesses count one by one and right ones wait their turn.
   * @throws IamError TOO_MANY_ATTEMPTS with Retry-After; whatever `verify` throws, which does not count.
   */
  attempt<Proof>(attempt: LoginAttempt, verify: () => Promise<Proof | undefined>): Promise<Proof | undefined>;
  /** After a login of the user who has these names: clears their budgets, and what this caller failed under them. */
  recordLogin(names: readonly string[], caller: string): void;
  /** Clears everything that was counted of these names, of any caller. */
  clear(names: readonly string[]): void;
  /** Clears everything. */
  reset(): void;
}

/** Setting disable-rate-limits: nothing counts. */
export const noLoginThrottle: LoginThrottle = {
  attempt: (_, verify) => verify(),
  recordLogin: () => undefined,
  clear: () => undefined,
  reset: () => undefined,
};

/** @param capacity how many names and callers are counted one by one. */
export function createLoginThrottle(elapsed: MonotonicClock, capacity?: number): LoginThrottle {
  const slots = new AttemptSlots();
  let failures = new LoginFailures(elapsed, capacity);

  async function acquireSlot(attempt: LoginAttempt): Promise<string[]> {
    let wokenKey: string | undefined;
    for (;;) {
      const limits = failures.computeLimits(attempt);
      const delays = limits.filter(({ left }) => left <= 0).map(({ retryAfterMs }) => retryAfterMs);
      const keys = limits.map(({ key }) => key);
      const isThrottled = delays.length > 0;
      const fullKey = isThrottled ? undefined : limits.find(({ key, left }) => slots.running(key) >= left)?.key;
      if (!isThrottled && fullKey === undefined) slots.acquire(keys);
      // What it does not take, the next one may.
      if (wokenKey !== undefined && wokenKey !== fullKey) slots.wake(wokenKey);
      if (isThrottled) throw createTooManyAttemptsError(Math.max(...delays));
      if (fullKey === undefined) return keys;
      await slots.wait(fullKey);
      wokenKey = fullKey;
    }
  }

  return {
    async attempt(unhashedAttempt, verify) {
      const attempt = { ...unhashedAttempt, name: hashName(unhashedAttempt.name) };
      const acquired = await acquireSlot(attempt);
      try {
        const proof = await verify();
        if (proof === undefined) failures.add(attempt);
        else failures.clearCaller(attempt.name, attempt.caller);
        return proof;
      } finally {
        slots.release(acquired);
      }
    },
    recordLogin(names, caller) {
      for (const name of names.map(hashName)) {
        failures.clearCaller(name, caller);
        failures.restoreBudget(name);
      }
    },
    clear(names) {
      for (const name of names) failures.clearName(hashName(name));
    },
    reset() {
      failures = new LoginFailures(elapsed, capacity);
    },
  };
}

export function createTooManyAttemptsError(retryAfterMs: number): IamError {
  return retryLater('TOO_MANY_ATTEMPTS', Math.ceil(retryAfterMs / 1000));
}

/** What is kept of a name, which may be as long as a header, or a slice that would keep a whole header in memory. */
function hashName(name: string): string {
  return hash('sha256', name, 'base64url');
}
