/** Logging a user in by what an earlier login left: a refresh token, and the device that it is bound to. */
import type { Clock } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import type { Transaction } from '../store/store.ts';
import type { Session } from '../store/tables.ts';
import { deviceOf } from './devices.ts';
import { type Renewer, type Rotation, rotate } from './sessions.ts';
import { findByLogin } from './users.ts';

interface Tools {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** What the caller shows. */
export interface Remembered {
  readonly userName: string;
  readonly refreshToken: string;
  readonly deviceTokenId: string;
}

/** Takes the refresh token, if it, the user and the device belong together and to the calling client. */
export async function rememberUser(
  tx: Transaction,
  { userName, refreshToken, deviceTokenId }: Remembered,
  renewer: Omit<Renewer, 'device'>,
  tools: Tools,
): Promise<Rotation> {
  const user = await findByLogin(tx, userName);
  // Looked for in any case, so that an unknown name takes as long.
  const found = await deviceOf(tx, user?.userId ?? '', deviceTokenId);
  const device = user && found;
  const rotation = await rotate(tx, refreshToken, { ...renewer, device: device ?? 'unknown' }, tools);
  if (rotation.outcome !== 'rotated') return rotation;
  const session = asRemembered(rotation.session);
  await tx.sessions.replace(session);
  return { ...rotation, session };
}

/** Nobody has given a second proof now: what one gave is over. A first one that was never given does not come of this either. */
function asRemembered({ mfaAt: _over, ...session }: Session): Session {
  const level = session.level === 'AUTH-MFA' ? 'AUTH-BASIC' : session.level;
  return { ...session, level, smart: false, remember: true };
}
