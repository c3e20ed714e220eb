/**
 * Known sources and devices of a user. They are served even if throttles and limits are exhausted, so that an attacker
 * who exhausts them cannot lock the user out. Stored with the user, as keyed hashes. Those that completed a second factor
 * are a separate list: an attacker with the password must not gain attempts at the second factor by logging in.
 */
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Device, Session, User } from '../store/tables.ts';

export interface KnownSourceDeps {
  readonly clock: Clock;
  readonly storeSecret: Pick<StoreSecret, 'digest'>;
}

/** Which list: `knownSources` is that of logins and recoveries, `mfaSources` that of second factors. */
export type KnownSourceList = 'knownSources' | 'mfaSources';

type SourceOwner = Pick<User, 'userId' | KnownSourceList>;

const maxKnownSources = 20;
const day = 24 * 3600;
const lifetimeSeconds = 90 * day;
/** A source that is seen again is written only after this time, so that most logins write nothing for it. */
const refreshSeconds = day;

/** The key that a caller's attempts count by: its device, authenticated by a device token, else its address. */
export function callerKey(source: Pick<RequestSource, 'key'>, device: Pick<Device, 'deviceKey'> | undefined): string {
  return device ? `device ${device.deviceKey}` : source.key;
}

/**
 * The keys of a session that completed a second factor: its address, and the token of its device when the session was bound
 * to it. The device itself does not count: a thief of the password gets a new token for it by its id.
 */
export function listMfaKeys(
  source: Pick<RequestSource, 'key'>,
  { deviceTokenHash }: Pick<Session, 'deviceTokenHash'>,
): string[] {
  return [source.key, ...(deviceTokenHash === undefined ? [] : [`device token ${deviceTokenHash}`])];
}

/** Whether the source was added to the list in the last 90 days. Does the same work without a user. */
export function isKnownSource(
  user: SourceOwner | undefined,
  key: string,
  deps: KnownSourceDeps,
  list: KnownSourceList = 'knownSources',
): boolean {
  const hash = hashSource(user ?? absentUser, key, deps);
  return user !== undefined && listCurrentSources(user[list], deps).some((known) => known.hash === hash);
}

const absentUser = { userId: '' };

/** Adds the source to a list, by default after a successful login. Returns the same user if nothing needs to be written. */
export function withKnownSource(
  user: User,
  key: string,
  deps: KnownSourceDeps,
  list: KnownSourceList = 'knownSources',
): User {
  const now = epochSeconds(deps.clock);
  const hash = hashSource(user, key, deps);
  const sources = listCurrentSources(user[list], deps);
  if (sources.some((source) => source.hash === hash && source.at > now - refreshSeconds)) return user;
  const others = sources.filter((source) => source.hash !== hash);
  return { ...user, [list]: [...others, { hash, at: now }].slice(-maxKnownSources) };
}

/**
 * Replaces the known sources after a change of password: all other sources become unknown. A password is no second factor,
 * so none is added to that list.
 */
export function withOnlyKnownSources(
  user: User,
  keys: readonly string[],
  deps: KnownSourceDeps,
  mfaKeys: readonly string[] = keys,
): User {
  const at = epochSeconds(deps.clock);
  const toHashes = (values: readonly string[]) => new Set(values.map((key) => hashSource(user, key, deps)));
  const [hashes, mfaHashes] = [toHashes(keys), toHashes(mfaKeys)];
  const mfaSources = listCurrentSources(user.mfaSources, deps).filter(({ hash }) => mfaHashes.has(hash));
  return {
    ...withoutKnownSources(user),
    knownSources: [...hashes].map((hash) => ({ hash, at })),
    ...(mfaSources.length > 0 ? { mfaSources } : {}),
  };
}

/** Removes the known sources, after an administrator set the password. */
export function withoutKnownSources({ knownSources: _before, mfaSources: _mfaBefore, ...user }: User): User {
  return user;
}

/** If the clock was set back, sources with a future time count as seen now. */
function listCurrentSources(sources: User[KnownSourceList], { clock }: KnownSourceDeps) {
  const now = epochSeconds(clock);
  return (sources ?? [])
    .map(({ hash, at }) => ({ hash, at: Math.min(at, now) }))
    .filter(({ at }) => at > now - lifetimeSeconds);
}

/** The hash includes the user id, so that the store does not reveal which users share a source. */
function hashSource({ userId }: Pick<User, 'userId'>, key: string, { storeSecret }: KnownSourceDeps): string {
  return storeSecret.digest('known-source', `${userId}\n${key}`);
}
