/** Counts failed attempts. Users, mainframe logons and clients have separate tables, so that none exhausts another's. */
import type { Clock } from '../lib/clock.ts';
import { createMonotonicClock } from '../lib/monotonic-clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { callerKey, isKnownSource, type KnownSourceDeps } from '../sessions/known-sources.ts';
import type { EventJournal } from '../store/store.ts';
import { type Device, loginNames, type User } from '../store/tables.ts';
import {
  type ClientSecretThrottle,
  createClientSecretThrottle,
  noClientSecretThrottle,
} from './client-secret-throttle.ts';
import {
  createLoginEventExchange,
  type LoginEvent,
  type LoginEventExchange,
  type ThrottleName,
} from './login-events.ts';
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
}

export function createThrottles(clock: Clock, { disabled, loginEvents }: ThrottleOptions): Throttles {
  const elapsed = createMonotonicClock(clock);
  const exchange =
    loginEvents && createLoginEventExchange(loginEvents, (name, event, age) => logins[name].apply(event, age));
  const create = (name: ThrottleName) =>
    disabled ? noLoginThrottle : createLoginThrottle(elapsed, exchange && exchangeOf(exchange, name));
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
  };
  return {
    login,
    logon,
    currentPassword,
    clientSecret,
    recordLogin,
    async recordExternalLogin(user, caller) {
      // The failures that end with it may have been counted by another server only.
      await exchange?.receive();
      await recordLogin(user, caller);
    },
    async clear(user) {
      await login.clear(loginNames(user));
      await logon.clear(user.legacyLogons ?? []);
      await currentPassword.clear([user.userId]);
    },
    reset() {
      for (const throttle of [login, logon, currentPassword, clientSecret]) throttle.reset();
    },
  };
}

function exchangeOf(exchange: LoginEventExchange, name: ThrottleName) {
  return { exchange: { receive: exchange.receive, publish: (event: LoginEvent) => exchange.publish(name, event) } };
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
