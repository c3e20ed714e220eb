/**
 * Brute-force protection of passwords: throttles repeated failures per typed name and caller, and bounds them per name
 * over all callers (NIST SP 800-63B, 3.2.2). Failures of other sources do not affect known sources and devices of a user.
 */
import { hash } from 'node:crypto';
import { type IamError, retryLater } from '../../contract/errors.ts';
import type { MonotonicClock } from '../lib/monotonic-clock.ts';
import { ConcurrentAttempts } from './concurrent-attempts.ts';
import type { LoginEvent } from './login-events.ts';
import { type LoginAttempt, LoginFailures } from './login-failures.ts';

export interface LoginThrottle {
  /**
   * Runs `verify`. An undefined result counts as a failure; success clears the failures of this caller under this name.
   * Attempts run concurrently only as far as failures remain, so parallel guesses are all counted and correct ones wait.
   * @param options.clears whether success clears failures. Default: true
   * @param options.userId the user with this name, if any; see `withServerThrottle`.
   * @throws IamError TOO_MANY_ATTEMPTS with Retry-After; any error of `verify`, which does not count as a failure.
   */
  attempt<Result>(
    attempt: LoginAttempt,
    verify: () => Promise<Result | undefined>,
    options?: { readonly clears?: boolean; readonly userId?: string | undefined },
  ): Promise<Result | undefined>;
  /**
   * After a login of the user with these names: restores their budgets and clears the failures of this caller under them.
   * Follows a commit, as `clear` does: neither fails if it does not reach the other servers, whose counts end with their windows.
   */
  recordLogin(names: readonly string[], caller: string): Promise<void>;
  /** Clears all counts of these names, for all callers. */
  clear(names: readonly string[]): Promise<void>;
  /**
   * Counts an event of another server.
   * @param age milliseconds since the event
   */
  apply(event: LoginEvent, age?: number): void;
  reset(): void;
}

/** For the setting disable-rate-limits: counts nothing. */
export const noLoginThrottle: LoginThrottle = {
  attempt: (_, verify) => verify(),
  recordLogin: () => Promise.resolve(),
  clear: () => Promise.resolve(),
  apply: () => undefined,
  reset: () => undefined,
};

interface LoginThrottleOptions {
  /** The number of names and callers that are counted individually. */
  readonly capacity?: number | undefined;
  /** Exchanges events with other servers. Default: there are none. */
  readonly exchange?: {
    receive(): Promise<void>;
    publish(event: LoginEvent): Promise<void>;
  };
}

export function createLoginThrottle(
  elapsed: MonotonicClock,
  { capacity, exchange }: LoginThrottleOptions = {},
): LoginThrottle {
  const running = new ConcurrentAttempts();
  let failures = new LoginFailures(elapsed, capacity);

  async function acquireSlot(attempt: LoginAttempt): Promise<string[]> {
    let wokenKey: string | undefined;
    for (;;) {
      const limits = failures.computeLimits(attempt);
      const delays = limits.filter(({ left }) => left <= 0).map(({ retryAfterMs }) => retryAfterMs);
      const keys = limits.map(({ key }) => key);
      const isThrottled = delays.length > 0;
      const fullKey = isThrottled ? undefined : limits.find(({ key, left }) => running.count(key) >= left)?.key;
      if (!isThrottled && fullKey === undefined) running.acquire(keys);
      // A woken waiter that does not use the slot wakes the next one.
      if (wokenKey !== undefined && wokenKey !== fullKey) running.wake(wokenKey);
      if (isThrottled) throw createTooManyAttemptsError(Math.max(...delays));
      if (fullKey === undefined) return keys;
      await running.wait(fullKey);
      wokenKey = fullKey;
    }
  }

  function apply(event: LoginEvent, age = 0): void {
    switch (event.kind) {
      case 'failure':
        failures.add(event.attempt, age);
        break;
      case 'success':
        failures.clearCaller(event.name, event.caller);
        break;
      case 'login':
        for (const name of event.names) {
          failures.clearCaller(name, event.caller);
          failures.restoreBudget(name);
        }
        break;
      case 'clear':
        for (const name of event.names) failures.clearName(name);
    }
  }

  /** Without failures of the names there is nothing to clear on other servers either. */
  async function applyAndPublish(event: LoginEvent, names: readonly string[]): Promise<void> {
    const isNews = event.kind === 'failure' || names.some((name) => failures.hasFailures(name));
    apply(event);
    if (isNews) await exchange?.publish(event);
  }

  return {
    async attempt(unhashedAttempt, verify, { clears = true } = {}) {
      const name = hashName(unhashedAttempt.name);
      const attempt = { ...unhashedAttempt, name };
      if (exchange) await exchange.receive();
      const acquired = await acquireSlot(attempt);
      try {
        const result = await verify();
        const { caller } = attempt;
        if (result === undefined) await applyAndPublish({ kind: 'failure', attempt }, [name]);
        else if (clears) await applyAndPublish({ kind: 'success', name, caller }, [name]);
        return result;
      } finally {
        running.release(acquired);
      }
    },
    recordLogin(names, caller) {
      const hashed = names.map(hashName);
      return ignoreFailure(applyAndPublish({ kind: 'login', names: hashed, caller }, hashed));
    },
    async clear(names) {
      // Failures at other servers end with it, too, also those that this one has not counted yet.
      if (exchange) await ignoreFailure(exchange.receive());
      const hashed = names.map(hashName);
      await ignoreFailure(applyAndPublish({ kind: 'clear', names: hashed }, hashed));
    },
    apply,
    reset() {
      failures = new LoginFailures(elapsed, capacity);
    },
  };
}

/** For what follows a commit, which is no failure of the request. */
export function ignoreFailure(work: Promise<void>): Promise<void> {
  return work.catch(() => undefined);
}

/**
 * For a sandbox that has the password hashes of the server: its failures count at the server, too. What the administrators
 * of the sandbox can cause clears nothing there: a login with another password, a reset, a source that is known.
 */
export function withServerThrottle(
  own: LoginThrottle,
  { throttle, guesses }: { readonly throttle: LoginThrottle; readonly guesses: SandboxGuesses },
): LoginThrottle {
  return {
    ...own,
    attempt: (attempt, verify, { userId } = {}) =>
      throttle.attempt(
        { ...attempt, isKnown: false },
        () => own.attempt(attempt, userId === undefined ? verify : () => guesses.attempt(userId, attempt, verify)),
        { clears: false },
      ),
  };
}

/**
 * Guesses at the passwords of the server in all its sandboxes, by user: the administrators of a sandbox can give a user any
 * number of names there. The limits are those of a name.
 */
export interface SandboxGuesses {
  /** Beyond the limits a correct password is rejected as a wrong one, so that it is unknown which names belong to one user. */
  attempt<Result>(
    userId: string,
    attempt: LoginAttempt,
    verify: () => Promise<Result | undefined>,
  ): Promise<Result | undefined>;
  /** After a login at the server. */
  restoreBudget(userId: string): void;
  clear(userId: string): void;
  reset(): void;
}

export function createSandboxGuesses(elapsed: MonotonicClock): SandboxGuesses {
  let failures = new LoginFailures(elapsed);
  return {
    async attempt(userId, attempt, verify) {
      // Judged after the verification: then parallel guesses are counted one by one, and none waits for another.
      const result = await verify();
      const guess = { ...attempt, name: hashName(userId), isKnown: false };
      if (failures.computeLimits(guess).some(({ left }) => left <= 0)) return undefined;
      if (result === undefined) failures.add(guess);
      return result;
    },
    restoreBudget: (userId) => failures.restoreBudget(hashName(userId)),
    clear: (userId) => failures.clearName(hashName(userId)),
    reset() {
      failures = new LoginFailures(elapsed);
    },
  };
}

export function createTooManyAttemptsError(retryAfterMs: number): IamError {
  return retryLater('TOO_MANY_ATTEMPTS', Math.ceil(retryAfterMs / 1000));
}

/** A digest has a fixed size; the name may be as long as a header, or a slice that keeps the whole header in memory. */
function hashName(name: string): string {
  return hash('sha256', name, 'base64url');
}
