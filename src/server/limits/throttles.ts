/** Counts failed attempts. Users, mainframe logons and clients have separate tables, so that none exhausts another's. */
import type { Clock } from '../lib/clock.ts';
import { createMonotonicClock, type MonotonicClock } from '../lib/monotonic-clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { EventJournal } from '../store/store.ts';
import { loginNames, type User } from '../store/tables.ts';
import { Counters } from './counters.ts';
import {
  createLoginEventExchange,
  type LoginEvent,
  type LoginEventExchange,
  type ThrottleName,
} from './login-events.ts';
import {
  createLoginThrottle,
  createSandboxGuesses,
  createTooManyAttemptsError,
  ignoreFailure,
  type LoginThrottle,
  noLoginThrottle,
  type SandboxGuesses,
  withServerThrottle,
} from './login-throttle.ts';
import { fixedWindow } from './rules.ts';
import { limits } from './table.ts';

export interface Throttles {
  /** By the login name given with the password of a user. */
  readonly login: LoginThrottle;
  readonly logon: LoginThrottle;
  /** By user id: checks of a signed-in user's current password. Requires a session of the user. */
  readonly currentPassword: LoginThrottle;
  readonly clientSecret: ClientSecretThrottle;
  /** For the throttles of sandboxes with the password hashes of this server. */
  readonly sandboxGuesses: SandboxGuesses;
  /** After a successful login: restores the budgets of the user's names, and clears the failures of this caller. */
  recordLogin(user: User, caller: string): Promise<void>;
  /** The same after a login without an attempt that these throttles have counted: by an identity provider or a certificate. */
  recordExternalLogin(user: User, caller: string): Promise<void>;
  /** After a recovery or an unlock: clears all failures for the user's names. */
  clear(user: User): Promise<void>;
  reset(): void;
}

interface ThrottleOptions {
  /** Setting disable-rate-limits: counts nothing. */
  readonly disabled: boolean;
  /** Counts failures together with other servers. Missing if there are none. */
  readonly loginEvents?: EventJournal | undefined;
  /** Of the server, for a sandbox with its password hashes. */
  readonly ofServer?: Throttles | undefined;
}

export function createThrottles(clock: Clock, { disabled, loginEvents, ofServer }: ThrottleOptions): Throttles {
  const elapsed = createMonotonicClock(clock);
  const exchange =
    loginEvents && createLoginEventExchange(loginEvents, (name, event, age) => logins[name].apply(event, age));
  const create = (name: ThrottleName) => {
    if (disabled) return noLoginThrottle;
    const own = createLoginThrottle(elapsed, exchange && exchangeOf(exchange, name));
    return ofServer ? withServerThrottle(own, { throttle: ofServer[name], guesses: ofServer.sandboxGuesses }) : own;
  };
  const sandboxGuesses = createSandboxGuesses(elapsed);
  const logins: Readonly<Record<ThrottleName, LoginThrottle>> = {
    login: create('login'),
    logon: create('logon'),
    currentPassword: create('currentPassword'),
  };
  const { login, logon, currentPassword } = logins;
  const clientSecret = disabled ? noClientSecretThrottle : createClientSecretThrottle(elapsed);
  const recordLogin = async (user: User, caller: string) => {
    await login.recordLogin(loginNames(user), caller);
    await logon.recordLogin(user.legacyLogons ?? [], caller);
    sandboxGuesses.restoreBudget(user.userId);
  };
  return {
    login,
    logon,
    currentPassword,
    clientSecret,
    sandboxGuesses,
    recordLogin,
    async recordExternalLogin(user, caller) {
      // The failures that end with it may have been counted by another server only.
      if (exchange) await ignoreFailure(exchange.receive());
      await recordLogin(user, caller);
    },
    async clear(user) {
      await login.clear(loginNames(user));
      await logon.clear(user.legacyLogons ?? []);
      await currentPassword.clear([user.userId]);
      sandboxGuesses.clear(user.userId);
    },
    reset() {
      for (const throttle of [login, logon, currentPassword, clientSecret, sandboxGuesses]) throttle.reset();
    },
  };
}

function exchangeOf(exchange: LoginEventExchange, name: ThrottleName) {
  return { exchange: { receive: exchange.receive, publish: (event: LoginEvent) => exchange.publish(name, event) } };
}

/**
 * Throttles wrong client secrets per source. Secrets are random, so guessing is hopeless and a correct secret is always
 * accepted; the limit only ensures that a source that keeps failing receives 429 instead of 401.
 */
export interface ClientSecretThrottle {
  /** Counts a wrong secret. @throws IamError TOO_MANY_ATTEMPTS with Retry-After if the source has reached its limit. */
  recordFailure(source: Pick<RequestSource, 'key' | 'isLoopback'>): void;
  reset(): void;
}

export function createClientSecretThrottle(elapsed: MonotonicClock, capacity?: number): ClientSecretThrottle {
  const failures = new Counters(fixedWindow(limits.clientSecretFailures), elapsed, capacity);
  return {
    recordFailure({ key: subject, isLoopback }) {
      if (isLoopback) return;
      const { left, retryAfterMs } = failures.remaining({ subject });
      if (left <= 0) throw createTooManyAttemptsError(retryAfterMs);
      failures.add({ subject });
    },
    reset: () => failures.clearAll(),
  };
}

/** For the setting disable-rate-limits: counts nothing. */
const noClientSecretThrottle: ClientSecretThrottle = { recordFailure: () => undefined, reset: () => undefined };
