/**
 * Refresh tokens: rotated with each use, bound to a client and, if it has one, to a device (RFC 9700, 4.14). The reuse of
 * a token ends its session.
 */
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Device, Session } from '../store/tables.ts';
import { toDeviceBinding } from './devices.ts';
import { endSession } from './end-sessions.ts';

/** Maximum time between uses of the refresh token. */
const idleTimeoutSeconds = 30 * 24 * 3600;

export interface SessionDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/** UUID-shaped and opaque, with 122 bits from the system's random source; stored as a hash. */
export async function issueRefreshToken(
  tx: Transaction,
  session: Session,
  { clock, random }: SessionDeps,
): Promise<string> {
  const token = random.uuid();
  await tx.refreshTokens.insert({
    tokenHash: hashSecret(token),
    sessionId: session.sessionId,
    used: false,
    issuedAt: epochSeconds(clock),
  });
  return token;
}

/** The reason for a rejection is not reported to the caller. */
export type RefreshTokenRotation =
  | { readonly outcome: 'rotated'; readonly session: Session; readonly refreshToken: string }
  | { readonly outcome: 'rejected' }
  /** The token was used before; the whole session has been ended. */
  | { readonly outcome: 'reused' };

/** The caller that renews a session. */
export interface RefreshTokenClient {
  readonly clientId: string;
  /** Whether the client authenticated with its secret or an API key; required to renew a session of the client itself. */
  readonly hasClientCredential: boolean;
  /**
   * The device of the request. A session bound to a device can be renewed only with it; an unbound session becomes bound
   * to it. `unknown` is a token of no device: nothing is renewed with it.
   */
  readonly device?: Device | 'unknown' | undefined;
}

/**
 * Rotates a refresh token of this client and device. Runs in one transaction, so that only one of several parallel uses
 * succeeds; each other use counts as reuse and ends the session. Another client cannot cause that: its attempt is
 * rejected without effect.
 */
export async function rotateRefreshToken(
  tx: Transaction,
  token: string,
  renewer: RefreshTokenClient,
  deps: SessionDeps,
): Promise<RefreshTokenRotation> {
  const row = await tx.refreshTokens.get(hashSecret(token));
  const session = row && (await tx.sessions.get(row.sessionId));
  if (!row || session?.clientId !== renewer.clientId) return { outcome: 'rejected' };
  if (row.used) {
    await endSession(tx, session.sessionId);
    return { outcome: 'reused' };
  }
  const now = epochSeconds(deps.clock);
  const isActive = session.endsAt > now && !isIdle(row, now);
  if (!isActive || !mayRenew(session, renewer) || !(await isUserActive(tx, session))) return { outcome: 'rejected' };
  await tx.refreshTokens.replace({ ...row, used: true });
  const { device } = renewer;
  const isNewBinding = typeof device === 'object' && session.deviceTokenHash !== device.tokenHash;
  const bound = isNewBinding ? await bindToDevice(tx, session, device) : session;
  return { outcome: 'rotated', session: bound, refreshToken: await issueRefreshToken(tx, bound, deps) };
}

/**
 * The unused refresh token of this client with its active session; undefined if it cannot be used, whatever the reason.
 * Reads the same for tokens that are unknown and those of another client.
 */
export async function findActiveRefreshToken(
  reader: Pick<Reader, 'refreshTokens' | 'sessions' | 'users'>,
  { token, clientId }: { readonly token: string; readonly clientId: string },
  clock: Clock,
): Promise<{ readonly session: Session; readonly issuedAt: number; readonly expiresAt: number } | undefined> {
  const row = await reader.refreshTokens.get(hashSecret(token));
  const session = await reader.sessions.get(row?.sessionId ?? '');
  if (!row || session?.clientId !== clientId || row.used) return undefined;
  const expiresAt = computeRefreshTokenExpiry(row, session);
  const isActive = expiresAt > epochSeconds(clock) && (await isUserActive(reader, session));
  return isActive ? { session, issuedAt: row.issuedAt, expiresAt } : undefined;
}

function isIdle({ issuedAt }: { readonly issuedAt: number }, now: number): boolean {
  return issuedAt + idleTimeoutSeconds <= now;
}

function mayRenew(session: Session, { hasClientCredential, device }: RefreshTokenClient): boolean {
  if (device === 'unknown') return false;
  if (device !== undefined && session.userId !== device.userId) return false;
  if (session.userId === undefined && session.logon === undefined && !hasClientCredential) return false;
  return session.deviceKey === undefined || session.deviceKey === device?.deviceKey;
}

/** A lock ends the sessions of a user; this also covers users that were locked by other means, such as a seed. */
async function isUserActive(reader: Pick<Reader, 'users'>, { userId }: Session): Promise<boolean> {
  return userId === undefined || (await reader.users.get(userId))?.locked === false;
}

/** Binds the session to a device: from now on only this device can renew it. */
export async function bindToDevice(tx: Transaction, session: Session, device: Device): Promise<Session> {
  const bound = { ...session, ...toDeviceBinding(device) };
  await tx.sessions.replace(bound);
  return bound;
}

/** Replaces the refresh token of a changed session, if it has one. */
export async function rotateSessionRefreshToken(
  tx: Transaction,
  session: Session,
  deps: SessionDeps,
): Promise<string | undefined> {
  const rows = await tx.refreshTokens.find('sessionId', session.sessionId);
  const now = epochSeconds(deps.clock);
  const current = rows.find((row) => !row.used && !isIdle(row, now));
  if (!current) return undefined;
  await tx.refreshTokens.replace({ ...current, used: true });
  return issueRefreshToken(tx, session, deps);
}

export async function isRenewable(
  reader: Pick<Reader, 'refreshTokens'>,
  { sessionId }: Session,
  now: number,
): Promise<boolean> {
  const tokens = await reader.refreshTokens.find('sessionId', sessionId);
  return tokens.some(({ used, issuedAt }) => !used && issuedAt + idleTimeoutSeconds > now);
}

/** When an unused refresh token expires, in epoch seconds. */
export function computeRefreshTokenExpiry({ issuedAt }: { readonly issuedAt: number }, { endsAt }: Session): number {
  return Math.min(endsAt, issuedAt + idleTimeoutSeconds);
}
