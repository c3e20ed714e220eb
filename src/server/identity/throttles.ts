/** What counts failed attempts. Users, mainframe logons and clients share no table, so that one can't use up another's. */
import type { Clock } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import { createMonotonicClock } from '../monotonic-clock.ts';
import { type Device, loginNames, type User } from '../store/tables.ts';
import {
  type ClientSecretThrottle,
  createClientSecretThrottle,
  noClientSecretThrottle,
} from './client-secret-throttle.ts';
import { callerKey, isKnownSource, type KnownSourceDeps } from './known-sources.ts';
import { createLoginThrottle, type LoginAttempt, type LoginThrottle, noLoginThrottle } from './login-throttle.ts';

export interface Throttles {
  /** By the name that is given with a password of a user. */
  readonly login: LoginThrottle;
  readonly logon: LoginThrottle;
  /** By user id: checks of a signed-in user's current password. Only a caller with a session of the user gets there. */
  readonly currentPassword: LoginThrottle;
  readonly clientSecret: ClientSecretThrottle;
  /** After a right login: strangers no longer stand in the way of the user's names. */
  recordLogin(user: User, caller: string): void;
  /** After a recovery or an unlock: nothing stands in the way of the user's names any more. */
  clear(user: User): void;
  reset(): void;
}

/** @param options.disabled setting disable-rate-limits: nothing counts. */
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
  /** As it was given, folded as names of its kind compare. */
  readonly name: string;
  /** Whom the name leads to, where it leads to a user. */
  readonly user: User | undefined;
  readonly source: RequestSource;
  /** That of the user whose token was shown. */
  readonly device?: Device | undefined;
}

/** A login as throttles count it. The same work whether or not the name leads to a user. */
export function createLoginAttempt(
  { name, user, source, device }: LoginAttemptInput,
  deps: KnownSourceDeps,
): LoginAttempt {
  const caller = callerKey(source, device);
  return { name, caller, isLoopback: source.isLoopback, isKnown: isKnownSource(user, caller, deps) };
}
