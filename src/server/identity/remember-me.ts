/** Logging a user in by what an earlier login left: a refresh token, and the device that it is bound to. */
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import type { Transaction } from '../store/store.ts';
import type { Session } from '../store/tables.ts';
import { findDeviceByToken } from './devices.ts';
import { type RefreshTokenRotation, type Renewer, rotateRefreshToken } from './sessions.ts';
import { findUserByLogin } from './user-roles.ts';

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
}

/** What the caller shows. */
export interface RememberMeCredentials {
  readonly userName: string;
  readonly refreshToken: string;
  readonly deviceTokenId: string;
}

/** Takes the refresh token, if it, the user and the device belong together and to the calling client. */
export async function renewRememberedSession(
  tx: Transaction,
  { userName, refreshToken, deviceTokenId }: RememberMeCredentials,
  renewer: Omit<Renewer, 'device'>,
  deps: Deps,
): Promise<RefreshTokenRotation> {
  const user = await findUserByLogin(tx, userName);
  // Looked for in any case, so that an unknown name takes as long.
  const found = await findDeviceByToken(tx, user?.userId ?? '', deviceTokenId);
  const device = user && found;
  const rotation = await rotateRefreshToken(tx, refreshToken, { ...renewer, device: device ?? 'unknown' }, deps);
  if (rotation.outcome !== 'rotated') return rotation;
  const session = toRememberedSession(rotation.session);
  await tx.sessions.replace(session);
  return { ...rotation, session };
}

/** Nobody has given a second proof now: what one gave is over. A first one that was never given does not come of this either. */
function toRememberedSession({ mfaAt: _over, ...session }: Session): Session {
  const level = session.level === 'AUTH-MFA' ? 'AUTH-BASIC' : session.level;
  return { ...session, level, smart: false, remember: true };
}
