/**
 * Refresh tokens: rotated with each use, bound to a client and, if it has one, to a device (RFC 9700, 4.14). The reuse of
 * a token ends its session.
 */
import type { Settings } from '../config/settings.ts';
import { takesPartInLoginsOf } from '../directory/login-approval.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import { limits } from '../limits/table.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Device, RefreshToken, Session } from '../store/tables.ts';
import { hasConsented } from './consents.ts';
import { toDeviceBinding } from './devices.ts';
import { endSession } from './end-sessions.ts';

/** Maximum time between uses of the refresh token. */
const idleTimeoutSeconds = 30 * 24 * 3600;

interface TokenDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/** UUID-shaped and opaque, with 122 bits from the system's random source; stored as a hash. */
export function issueRefreshToken(tx: Transaction, session: Session, deps: TokenDeps): Promise<string> {
  return insertToken(tx, session, { token: deps.random.uuid(), rotations: 0, clock: deps.clock });
}

interface NewToken {
  readonly token: string;
  readonly rotations: number;
  readonly clock: Clock;
}

async function insertToken(
  tx: Transaction,
  { sessionId }: Session,
  { token, rotations, clock }: NewToken,
): Promise<string> {
  await tx.refreshTokens.insert({
    tokenHash: hashSecret(token),
    sessionId,
    rotations,
    issuedAt: epochSeconds(clock),
  });
  return token;
}

/** The reason for a rejection is not reported to the caller. */
export type RefreshTokenRotation =
  | { readonly outcome: 'rotated'; readonly session: Session; readonly refreshToken: string }
  | { readonly outcome: 'rejected' }
  /** The token was used before, or the session has used all that it may; the whole session has been ended. */
  | { readonly outcome: 'ended' };

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

export interface RotationDeps extends TokenDeps {
  readonly storeSecret: StoreSecret;
  readonly settings: Pick<Settings, 'refreshGrace'>;
}

/**
 * Rotates a refresh token of this client and device. Runs in one transaction, so that only one of several parallel uses
 * succeeds; each other use counts as reuse and ends the session, unless it falls into the grace of the settings. Another
 * client cannot cause that: its attempt is rejected without effect.
 */
export async function rotateRefreshToken(
  tx: Transaction,
  token: string,
  renewer: RefreshTokenClient,
  deps: RotationDeps,
): Promise<RefreshTokenRotation> {
  const found = await findRefreshToken(tx, hashSecret(token));
  const session = found && (await tx.sessions.get(found.sessionId));
  if (!found || session?.clientId !== renewer.clientId) return { outcome: 'rejected' };
  if (!(await hasRequiredCredential(tx, session, renewer))) return { outcome: 'rejected' };
  const { unused, usedAt } = found;
  if (!unused) {
    const successor = await findSuccessor(tx, token, { session, usedAt, renewer }, deps);
    return successor === undefined ? end(tx, session) : { outcome: 'rotated', session, refreshToken: successor };
  }
  if (
    !isCurrent(unused, session, epochSeconds(deps.clock)) ||
    !mayRenew(session, renewer) ||
    !(await isGranted(tx, session))
  )
    return { outcome: 'rejected' };
  if (unused.rotations >= limits.rotationsPerSession.max) return end(tx, session);
  const { device } = renewer;
  const isNewBinding = typeof device === 'object' && session.deviceTokenHash !== device.tokenHash;
  const bound = isNewBinding ? await bindToDevice(tx, session, device) : session;
  const successor = deps.settings.refreshGrace > 0 ? deriveSuccessor(token, deps.storeSecret) : deps.random.uuid();
  return { outcome: 'rotated', session: bound, refreshToken: await replaceToken(tx, unused, bound, successor, deps) };
}

/**
 * After a login with a browser, a client with a secret authenticates with it (RFC 6749, 6), whatever operation renews. Without it, a
 * used token does not end the session either.
 */
async function hasRequiredCredential(
  reader: Pick<Reader, 'clients'>,
  { openid, clientId }: Session,
  { hasClientCredential }: RefreshTokenClient,
): Promise<boolean> {
  if (openid === undefined || hasClientCredential) return true;
  return (await reader.clients.get(clientId))?.secretHash === undefined;
}

async function end(tx: Transaction, session: Session): Promise<RefreshTokenRotation> {
  await endSession(tx, session);
  return { outcome: 'ended' };
}

async function replaceToken(
  tx: Transaction,
  { tokenHash, rotations }: RefreshToken,
  session: Session,
  token: string,
  { clock }: TokenDeps,
): Promise<string> {
  await tx.refreshTokens.delete(tokenHash);
  await tx.usedRefreshTokens.insert({ tokenHash, sessionId: session.sessionId, usedAt: epochSeconds(clock) });
  return insertToken(tx, session, { token, rotations: rotations + 1, clock });
}

/** UUID-shaped like a random one, so that no caller sees which of them can be made again. */
function deriveSuccessor(token: string, storeSecret: StoreSecret): string {
  const hex = storeSecret.digest('successor of a refresh token', token);
  // Version 4 and variant 10 (RFC 9562, 5.4).
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20)];
  return [...groups, hex.slice(20, 32)].join('-');
}

interface UsedToken {
  readonly session: Session;
  readonly usedAt: number | undefined;
  readonly renewer: RefreshTokenClient;
}

/** The unused successor of a token that was used within the grace, for the device that it was used with. */
async function findSuccessor(
  tx: Transaction,
  token: string,
  { session, usedAt = 0, renewer }: UsedToken,
  { clock, settings, storeSecret }: RotationDeps,
): Promise<string | undefined> {
  const { device } = renewer;
  const deviceKey = typeof device === 'object' ? device.deviceKey : device;
  const isInGrace = epochSeconds(clock) < usedAt + settings.refreshGrace;
  if (!isInGrace || session.deviceKey !== deviceKey || !mayRenew(session, renewer)) return undefined;
  const successor = deriveSuccessor(token, storeSecret);
  const row = await tx.refreshTokens.get(hashSecret(successor));
  return row && isCurrent(row, session, epochSeconds(clock)) && (await isGranted(tx, session)) ? successor : undefined;
}

/** A refresh token, used or not. */
export interface FoundRefreshToken {
  readonly sessionId: string;
  readonly unused?: RefreshToken | undefined;
  readonly usedAt?: number | undefined;
}

export type RefreshTokenReader = Pick<Reader, 'refreshTokens' | 'usedRefreshTokens'>;

export async function findRefreshToken(
  reader: RefreshTokenReader,
  tokenHash: string,
): Promise<FoundRefreshToken | undefined> {
  const unused = await reader.refreshTokens.get(tokenHash);
  return unused ? { sessionId: unused.sessionId, unused } : reader.usedRefreshTokens.get(tokenHash);
}

/**
 * The unused refresh token of this client with its active session; undefined if it cannot be used, whatever the reason.
 * Reads the same for tokens that are unknown and those of another client.
 */
export async function findActiveRefreshToken(
  reader: Pick<Reader, 'refreshTokens' | 'sessions' | 'users' | 'clients'>,
  { token, clientId }: { readonly token: string; readonly clientId: string },
  clock: Clock,
): Promise<{ readonly session: Session; readonly issuedAt: number; readonly expiresAt: number } | undefined> {
  const row = await reader.refreshTokens.get(hashSecret(token));
  const session = await reader.sessions.get(row?.sessionId ?? '');
  if (!row || session?.clientId !== clientId) return undefined;
  const isActive = isCurrent(row, session, epochSeconds(clock)) && (await isGranted(reader, session));
  const { issuedAt } = row;
  return isActive ? { session, issuedAt, expiresAt: computeRefreshTokenExpiry(row, session) } : undefined;
}

/** Whether an unused token of a session can still be used. */
function isCurrent(row: RefreshToken, session: Session, now: number): boolean {
  return computeRefreshTokenExpiry(row, session) > now;
}

function mayRenew(session: Session, { hasClientCredential, device }: RefreshTokenClient): boolean {
  if (device === 'unknown') return false;
  if (device !== undefined && session.userId !== device.userId) return false;
  if (session.userId === undefined && session.logon === undefined && !hasClientCredential) return false;
  return session.deviceKey === undefined || session.deviceKey === device?.deviceKey;
}

/**
 * Whether user and client may go on with the session. A lock ends the sessions of a user; this also covers users that were
 * locked by other means, such as a seed. A client whose logins were switched off is not renewed for a user, nor is a
 * third-party client without the consent of the user to what the session has, as after it was revoked, or given again to less.
 */
async function isGranted(
  reader: Pick<Reader, 'users' | 'clients'>,
  { userId, logon, clientId, openid, scope = [] }: Session,
): Promise<boolean> {
  const client = await reader.clients.get(clientId);
  if (!client) return false;
  if (userId === undefined) return logon === undefined || client.party === '1STPARTY';
  const user = await reader.users.get(userId);
  if (user?.locked !== false) return false;
  // Other logins, as with the grant password, are for first-party clients.
  if (!openid) return client.party === '1STPARTY';
  if (!client.grantTypes.includes('refresh_token')) return false;
  if (!takesPartInLoginsOf(client, openid)) return false;
  if (openid.isLimited === undefined) return client.party === '1STPARTY';
  return hasConsented(user, clientId, [...openid.scopes, ...scope]);
}

/** Binds the session to a device: from now on only this device can renew it. */
export async function bindToDevice(tx: Transaction, session: Session, device: Device): Promise<Session> {
  const bound = { ...session, ...toDeviceBinding(device) };
  await tx.sessions.replace(bound);
  return bound;
}

/**
 * Replaces the refresh token of a changed session, if it has one and has not used all that it may. Always by a random one: the
 * used token is not at hand.
 */
export async function rotateSessionRefreshToken(
  tx: Transaction,
  session: Session,
  deps: TokenDeps,
): Promise<string | undefined> {
  const current = await findSessionToken(tx, session, epochSeconds(deps.clock));
  if (!current || current.rotations >= limits.rotationsPerSession.max) return undefined;
  return replaceToken(tx, current, session, deps.random.uuid(), deps);
}

/** The refresh token that can renew the session; undefined if there is none. @param now epoch seconds. */
export async function findSessionToken(
  reader: Pick<Reader, 'refreshTokens'>,
  session: Session,
  now: number,
): Promise<RefreshToken | undefined> {
  const tokens = await reader.refreshTokens.find('sessionId', session.sessionId);
  return tokens.find((row) => isCurrent(row, session, now));
}

/** When an unused refresh token expires, in epoch seconds. */
export function computeRefreshTokenExpiry({ issuedAt }: { readonly issuedAt: number }, { endsAt }: Session): number {
  return Math.min(endsAt, issuedAt + idleTimeoutSeconds);
}
