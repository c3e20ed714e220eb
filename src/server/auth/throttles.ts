/** Counts failed attempts. Users, mainframe logons and clients have separate tables, so that none exhausts another's. */
import type { Clock } from '../lib/clock.ts';
import { createMonotonicClock } from '../lib/monotonic-clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { callerKey, isKnownSource, type KnownSourceDeps } from '../sessions/known-sources.ts';
import { type Device, loginNames, type User } from '../store/tables.ts';
import {
  type ClientSecretThrottle,
  createClientSecretThrottle,
  noClientSecretThrottle,
} from './client-secret-throttle.ts';
import type { LoginAttempt } from './login-failures.ts';
import { createLoginThrottle, type LoginThrottle, noLoginThrottle } from './login-throttle.ts';

export interface Throttles {
  /** By the login name given with the password of a user. */
  readonly login: LoginThrottle;
  readonly logon: LoginThrottle;
  /** By user id: checks of a signed-in user's current password. Requires a session of the user. */
  readonly currentPassword: LoginThrottle;
  readonly clientSecret: ClientSecretThrottle;
  /** After a successful login: restores the budgets of the user's names, and clears the failures of this caller. */
  recordLogin(user: User, caller: string): void;
  /** After a recovery or an unlock: clears all failures for the user's names. */
  clear(user: User): void;
  reset(): void;
}

/** @param options.disabled setting disable-rate-limits: counts nothing. */
export function createThrottles(clock: Clock, { disabled }: { readonly disabled: boolean }): Throttles {
  const elapsed = createMonotonicClock(clock);
  const create = () => (disabled ? noLoginThrottle : createLoginThrottle(elapsed));
  const [login, logon, currentPassword] = [create(), create(), create()];
  const clientSecret = disabled ? noClientSecretThrottle : createClientSecretThrottle(elapsed);
  return {
    login,
    logon,
    currentPassword,
    clientSecret,
    recordLogin(user, caller) {
      login.recordLogin(loginNames(user), caller);
      logon.recordLogin(user.legacyLogons ?? [], caller);
    },
    clear(user) {
      login.clear(loginNames(user));
      logon.clear(user.legacyLogons ?? []);
      currentPassword.clear([user.userId]);
    },
    reset() {
      for (const throttle of [login, logon, currentPassword, clientSecret]) throttle.reset();
    },
  };
}

export interface LoginAttemptInput {
  /** The given name, folded for comparison. */
  readonly name: string;
  /** The user with this name, if any. */
  readonly user: User | undefined;
  readonly source: RequestSource;
  /** The device of this user whose token was sent. */
  readonly device?: Device | undefined;
}

/** A login attempt for the throttles. Does the same work whether or not the name belongs to a user. */
export function createLoginAttempt(
  { name, user, source, device }: LoginAttemptInput,
  deps: KnownSourceDeps,
): LoginAttempt {
  const caller = callerKey(source, device);
  return { name, caller, isLoopback: source.isLoopback, isKnown: isKnownSource(user, caller, deps) };
}
