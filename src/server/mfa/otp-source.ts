/** The source that requests or submits a one-time code, as the limits count it. */
import type { Clock } from '../lib/clock.ts';
import { listSourceGroups, type RequestSource, type SourceGroup } from '../lib/request-source.ts';
import { findDeviceByToken } from '../sessions/devices.ts';
import { findKnownCaller, isKnownSource, listMfaKeys, withKnownSource } from '../sessions/known-sources.ts';
import type { Reader } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Device, Session, User } from '../store/tables.ts';

export interface OtpSource {
  /** The key that its attempts count by. */
  readonly key: string;
  /** Whether it is a known source or device of the user of the code: the limits over all sources do not apply to it. */
  readonly isKnown: boolean;
  /** Whether it is known by a second factor; absent: no. */
  readonly isKnownByMfa?: boolean;
  /** What it counts in over all users, unless it is known. */
  readonly groups: readonly SourceGroup[];
  /** The device authenticated by this request. */
  readonly device?: Device | undefined;
}

interface Deps {
  readonly source: RequestSource;
  readonly clock: Clock;
  readonly storeSecret: StoreSecret;
}

/** For a code that belongs to no user: no source is known. */
export function createUnknownSource({ source }: Pick<Deps, 'source'>): OtpSource {
  return { key: source.key, isKnown: false, groups: listSourceGroups(source) };
}

/** For a request without a session. A device of the user, authenticated by its deviceTokenId, counts instead of the address. */
export async function resolveOtpSource(
  reader: Pick<Reader, 'devices'>,
  user: User | undefined,
  deviceTokenId: string | undefined,
  deps: Deps,
): Promise<OtpSource> {
  const device =
    deviceTokenId === undefined ? undefined : await findDeviceByToken(reader, user?.userId ?? '', deviceTokenId);
  return { ...findKnownCaller(user, deps.source, device, deps), groups: listSourceGroups(deps.source), device };
}

/**
 * For a request in a session, which counts by its address: a user can associate any number of devices, and each would
 * have separate attempts. A source is known if a second factor was completed from it; the device that the session is
 * bound to counts instead of an unknown address if it is known.
 */
export function resolveSessionOtpSource(user: User, session: Session, deps: Deps): OtpSource {
  const groups = listSourceGroups(deps.source);
  for (const key of listMfaKeys(deps.source, session))
    if (isKnownSource(user, key, deps, 'mfaSources')) return { key, isKnown: true, isKnownByMfa: true, groups };
  return { key: deps.source.key, isKnown: false, groups };
}

/** Adds the address and the device of a session to the sources known for second factors, after it completed one. */
export function withMfaSources(user: User, session: Session, deps: Deps): User {
  return listMfaKeys(deps.source, session).reduce(
    (known, key) => withKnownSource(known, key, deps, 'mfaSources'),
    user,
  );
}
