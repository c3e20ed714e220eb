/**
 * The sources and devices that a user is known to come from. Throttles and budgets that are used up still serve these,
 * so that a stranger who uses them up shuts nobody out. Kept with the user, as keyed hashes.
 */
import { type Clock, epochSeconds } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Device, User } from '../store/tables.ts';
import type { StoreSecret } from './store-secret.ts';

export interface KnownSourceDeps {
  readonly clock: Clock;
  readonly storeSecret: Pick<StoreSecret, 'digest'>;
}

const maxKnownSources = 20;
const day = 24 * 3600;
const lifetimeSeconds = 90 * day;
/** A source seen again is written anew only after so long: most logins then write nothing for it. */
const refreshSeconds = day;

/** What attempts of one caller count by: the device that it proved by its token, else where it comes from. */
export function callerKey(source: Pick<RequestSource, 'key'>, device: Pick<Device, 'deviceKey'> | undefined): string {
  return device ? `device ${device.deviceKey}` : source.key;
}

/** Whether the user logged in, or recovered its account, from here within the last 90 days. The same work without a user. */
export function isKnownSource(
  user: Pick<User, 'userId' | 'knownSources'> | undefined,
  key: string,
  deps: KnownSourceDeps,
): boolean {
  const hash = hashSource(user ?? absentUser, key, deps);
  return user !== undefined && listCurrentSources(user, deps).some((known) => known.hash === hash);
}

const absentUser = { userId: '' };

/** The user with this source among the known ones: after a right login. The same user where nothing is to be written. */
export function withKnownSource(user: User, key: string, deps: KnownSourceDeps): User {
  const now = epochSeconds(deps.clock);
  const hash = hashSource(user, key, deps);
  const known = listCurrentSources(user, deps);
  if (known.some((one) => one.hash === hash && one.at > now - refreshSeconds)) return user;
  const others = known.filter((one) => one.hash !== hash);
  return { ...user, knownSources: [...others, { hash, at: now }].slice(-maxKnownSources) };
}

/** The user with these as the only known ones: after it changed its password, the others are strangers. */
export function withOnlyKnownSources(user: User, keys: readonly string[], deps: KnownSourceDeps): User {
  const at = epochSeconds(deps.clock);
  return { ...user, knownSources: [...new Set(keys)].map((key) => ({ hash: hashSource(user, key, deps), at })) };
}

/** The user with no known source: after its password was set from outside. */
export function withoutKnownSources({ knownSources: _before, ...user }: User): User {
  return user;
}

/** After a clock was set back, sources of a time still to come count as seen just now. */
function listCurrentSources({ knownSources = [] }: Pick<User, 'knownSources'>, { clock }: KnownSourceDeps) {
  const now = epochSeconds(clock);
  return knownSources
    .map(({ hash, at }) => ({ hash, at: Math.min(at, now) }))
    .filter(({ at }) => at > now - lifetimeSeconds);
}

/** With the user in it, so that the store does not tell which users share a source. */
function hashSource({ userId }: Pick<User, 'userId'>, key: string, { storeSecret }: KnownSourceDeps): string {
  return storeSecret.digest('known-source', `${userId}\n${key}`);
}
