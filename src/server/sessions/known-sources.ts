/**
 * Known sources and devices of a user. They are served even if throttles and limits are exhausted, so that an attacker
 * who exhausts them cannot lock the user out. Stored with the user, as keyed hashes. Those that completed a second factor
 * are a separate list: an attacker with the password must neither gain attempts at the second factor by logging in, nor
 * remove the sources of the owner.
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
type KnownSource = NonNullable<User[KnownSourceList]>[number];

const maxKnownSources = 20;
/** The sources added first, which later ones do not replace. */
const maxLastingSources = 10;
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
  return [source.key, ...(deviceTokenHash === undefined ? [] : [formatDeviceTokenKey(deviceTokenHash)])];
}

const formatDeviceTokenKey = (tokenHash: string) => `device token ${tokenHash}`;

/** Whether a second factor was completed in a session that sent the current token of the device. */
export function isMfaDevice(
  user: SourceOwner | undefined,
  { tokenHash }: Pick<Device, 'tokenHash'>,
  deps: KnownSourceDeps,
): boolean {
  return isKnownSource(user, formatDeviceTokenKey(tokenHash), deps, 'mfaSources');
}

export interface KnownCaller {
  /** The key that its attempts count by. */
  readonly key: string;
  readonly isKnown: boolean;
  /** Whether a second factor was completed from its address or its device. */
  readonly isKnownByMfa: boolean;
}

/**
 * Whether the caller is known to the user by a login or a second factor. An unknown device at an address that completed a
 * second factor counts by the address. Does the same work without a user.
 */
export function findKnownCaller(
  user: SourceOwner | undefined,
  source: Pick<RequestSource, 'key'>,
  device: Device | undefined,
  deps: KnownSourceDeps,
): KnownCaller {
  const own = callerKey(source, device);
  const isKnownByLogin = isKnownSource(user, own, deps);
  const isMfaAddress = isKnownSource(user, source.key, deps, 'mfaSources');
  const isByDevice = device !== undefined && isMfaDevice(user, device, deps);
  const isKnownByMfa = isMfaAddress || isByDevice;
  const key = isMfaAddress && !isKnownByLogin && !isByDevice ? source.key : own;
  return { key, isKnown: isKnownByLogin || isKnownByMfa, isKnownByMfa };
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

/**
 * Adds the source to a list, by default after a successful login; a full list loses the one seen longest ago, except the
 * sources that were added first. Returns the same user if nothing needs to be written.
 */
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
  const current = { hash, at: now };
  const isListed = sources.some((source) => source.hash === hash);
  const all = isListed ? sources.map((source) => (source.hash === hash ? current : source)) : [...sources, current];
  return { ...user, [list]: withoutSurplus(all) };
}

function withoutSurplus(sources: readonly KnownSource[]): readonly KnownSource[] {
  if (sources.length <= maxKnownSources) return sources;
  const oldest = sources.slice(maxLastingSources).reduce((a, b) => (b.at < a.at ? b : a));
  return sources.filter((source) => source !== oldest);
}

/**
 * Replaces the known sources after a change of password: all other sources become unknown. A password is no second factor,
 * so none is added to that list.
 * @param mfaKeys the sources of second factors that remain; `all` after a change without a second factor
 */
export function withOnlyKnownSources(
  user: User,
  keys: readonly string[],
  deps: KnownSourceDeps,
  mfaKeys: readonly string[] | 'all' = keys,
): User {
  const at = epochSeconds(deps.clock);
  const toHashes = (values: readonly string[]) => new Set(values.map((key) => hashSource(user, key, deps)));
  const hashes = toHashes(keys);
  const mfaHashes = mfaKeys === 'all' ? undefined : toHashes(mfaKeys);
  const mfaSources = listCurrentSources(user.mfaSources, deps).filter(({ hash }) => mfaHashes?.has(hash) ?? true);
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
