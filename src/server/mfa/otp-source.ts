/** The source that requests or submits a one-time code, as the limits count it. */
import type { Clock } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { findDeviceByToken } from '../sessions/devices.ts';
import { callerKey, isKnownSource } from '../sessions/known-sources.ts';
import type { Reader } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Session, User } from '../store/tables.ts';

export interface OtpSource {
  /** The key that its attempts count by. */
  readonly key: string;
  /** Whether it is a known source or device of the user of the code: the limits over all sources do not apply to it. */
  readonly isKnown: boolean;
  /** The device authenticated by this request. */
  readonly deviceKey?: string | undefined;
}

interface Deps {
  readonly source: RequestSource;
  readonly clock: Clock;
  readonly storeSecret: StoreSecret;
}

/** For a code that belongs to no user: no source is known. */
export function createUnknownSource({ source }: Pick<Deps, 'source'>): OtpSource {
  return { key: source.key, isKnown: false };
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
  const key = callerKey(deps.source, device);
  return { key, isKnown: isKnownSource(user, key, deps), deviceKey: device?.deviceKey };
}

/**
 * For a request in a session, which counts by its address: a user can associate any number of devices, and each would
 * have separate attempts. The device that the session is bound to still makes the source known.
 */
export async function resolveSessionOtpSource(
  reader: Pick<Reader, 'devices'>,
  user: User,
  session: Session,
  deps: Deps,
): Promise<OtpSource> {
  const { key } = deps.source;
  if (isKnownSource(user, key, deps) || session.deviceKey === undefined)
    return { key, isKnown: isKnownSource(user, key, deps) };
  const device = await reader.devices.get(session.deviceKey);
  return { key, isKnown: isKnownSource(user, callerKey(deps.source, device), deps) };
}
