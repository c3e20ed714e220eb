/** Logs a user in with the refresh token of an earlier login and the device that it is bound to. */

import { findDeviceByToken } from '../sessions/devices.ts';
import {
  type RefreshTokenClient,
  type RefreshTokenRotation,
  type RotationDeps,
  rotateRefreshToken,
} from '../sessions/refresh-tokens.ts';
import type { Transaction } from '../store/store.ts';
import type { Session } from '../store/tables.ts';
import { findUserByLogin } from '../users/users.ts';

export interface RememberMeCredentials {
  readonly userName: string;
  readonly refreshToken: string;
  readonly deviceTokenId: string;
}

/** Rotates the refresh token if the token, the user, the device and the calling client belong together. */
export async function renewRememberedSession(
  tx: Transaction,
  { userName, refreshToken, deviceTokenId }: RememberMeCredentials,
  renewer: Omit<RefreshTokenClient, 'device'>,
  deps: RotationDeps,
): Promise<RefreshTokenRotation> {
  const user = await findUserByLogin(tx, userName);
  // Looked up for unknown names too, so that the response time is the same.
  const matchingDevice = await findDeviceByToken(tx, user?.userId ?? '', deviceTokenId);
  const device = user && matchingDevice;
  const rotation = await rotateRefreshToken(tx, refreshToken, { ...renewer, device: device ?? 'unknown' }, deps);
  if (rotation.outcome !== 'rotated') return rotation;
  const session = toRememberedSession(rotation.session);
  await tx.sessions.replace(session);
  return { ...rotation, session };
}

/** This login has no second factor, so an earlier AUTH-MFA ends. A level below AUTH-BASIC is not raised. */
function toRememberedSession({ mfaAt: _mfaAt, ...session }: Session): Session {
  const level = session.level === 'AUTH-MFA' ? 'AUTH-BASIC' : session.level;
  return { ...session, level, smart: false, remember: true };
}
