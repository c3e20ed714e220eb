/** Sessions: started by a login, referenced by tokens, ended by locks, removals and password changes. */

import type { AuthenticationLevel } from '../directory/user-roles.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Device, Session } from '../store/tables.ts';

const hours = 3600;
const days = 24 * hours;
/** Maximum lifetime of a session without a refresh token. */
const sessionLifetimeSeconds = 12 * hours;
/** Maximum lifetime of a session with one. */
const absoluteLifetimeSeconds = 90 * days;
/** Maximum time between uses of the refresh token. */
const idleTimeoutSeconds = 30 * days;
/** Sessions checked at each login, in each of two positions. */
const cleanupBatchSize = 8;

export interface SessionOptions {
  readonly clientId: string;
  readonly userId?: string | undefined;
  readonly level: AuthenticationLevel;
  readonly remember: boolean;
  /** A subset of the client's scope, if the request asks for less. */
  readonly scope?: readonly string[] | undefined;
  /** Whether to issue a refresh token. */
  readonly renewable: boolean;
  /** The mainframe logon of the login. */
  readonly logon?: string | undefined;
  /** The device that the refresh token is bound to from the start. */
  readonly deviceKey?: string | undefined;
  /** The session that this one is derived from: AUTH-MFA expires at the same time, and this session ends no later. */
  readonly parentSession?: Session | undefined;
}

export interface SessionDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/** Starts a session, with a refresh token if renewable. Deletes a few ended sessions of the same user or client. */
export async function startSession(
  tx: Transaction,
  options: SessionOptions,
  deps: SessionDeps,
): Promise<{ session: Session; refreshToken?: string }> {
  const startedAt = epochSeconds(deps.clock);
  await deleteEndedSessions(tx, options, startedAt, deps.random);
  const session: Session = {
    sessionId: deps.random.uuid(),
    clientId: options.clientId,
    ...(options.userId === undefined ? {} : { userId: options.userId }),
    level: options.level,
    ...(options.level === 'AUTH-MFA' ? { mfaAt: options.parentSession?.mfaAt ?? startedAt } : {}),
    smart: options.parentSession?.smart ?? false,
    ...(options.scope === undefined ? {} : { scope: [...options.scope] }),
    remember: options.remember,
    ...(options.logon === undefined ? {} : { logon: options.logon }),
    ...(options.deviceKey === undefined ? {} : { deviceKey: options.deviceKey }),
    startedAt,
    endsAt: Math.min(
      startedAt + (options.renewable ? absoluteLifetimeSeconds : sessionLifetimeSeconds),
      options.parentSession?.endsAt ?? Number.POSITIVE_INFINITY,
    ),
  };
  await tx.sessions.insert(session);
  return options.renewable ? { session, refreshToken: await issueRefreshToken(tx, session, deps) } : { session };
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
  const isNewDevice = typeof device === 'object' && session.deviceKey === undefined;
  const bound = isNewDevice ? await bindToDevice(tx, session, device) : session;
  return { outcome: 'rotated', session: bound, refreshToken: await issueRefreshToken(tx, bound, deps) };
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
export async function bindToDevice(tx: Transaction, session: Session, { deviceKey }: Device): Promise<Session> {
  const bound = { ...session, deviceKey };
  await tx.sessions.replace(bound);
  return bound;
}

/** Transfers the session, with its refresh token, to another client. */
export async function transferSession(
  tx: Transaction,
  { scope: _scope, ...session }: Session,
  to: Pick<Session, 'clientId' | 'scope'>,
): Promise<Session> {
  const transferred = { ...session, ...to };
  await tx.sessions.replace(transferred);
  return transferred;
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

/** Whether the session has a valid refresh token. */
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

/** The session with this id, unless it has ended. */
export async function findActiveSession(
  reader: Pick<Reader, 'sessions'>,
  sessionId: string,
  now: number,
): Promise<Session | undefined> {
  const session = await reader.sessions.get(sessionId);
  return session && session.endsAt > now ? session : undefined;
}

/** Ends a session: deletes it with its refresh tokens. Tokens that reference it become invalid. */
export async function endSession(tx: Transaction, sessionId: string): Promise<void> {
  for (const token of await tx.refreshTokens.find('sessionId', sessionId))
    await tx.refreshTokens.delete(token.tokenHash);
  await tx.sessions.delete(sessionId);
}

/** Ends every session of a user, optionally except one. */
export async function endSessionsOfUser(tx: Transaction, userId: string, except?: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('userId', userId))
    if (sessionId !== except) await endSession(tx, sessionId);
}

/** Ends every session that was started with a mainframe logon. */
export async function endSessionsOfLogon(tx: Transaction, logon: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('logon', logon)) await endSession(tx, sessionId);
}

/** Ends every session that was started with a client. */
export async function endSessionsOfClient(tx: Transaction, clientId: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('clientId', clientId)) await endSession(tx, sessionId);
}

/**
 * Checks a few sessions, from a random position and from the start, and deletes those that have ended: more than are
 * inserted, so that they do not accumulate, but a bounded number, so that frequent logins are not delayed.
 */
async function deleteEndedSessions(
  tx: Transaction,
  { userId, clientId }: SessionOptions,
  now: number,
  random: Random,
): Promise<void> {
  const listBatch = (after?: string) =>
    userId === undefined
      ? tx.sessions.find('clientId', clientId, { after, limit: cleanupBatchSize })
      : tx.sessions.find('userId', userId, { after, limit: cleanupBatchSize });
  for (const session of [...(await listBatch(random.uuid())), ...(await listBatch())])
    if (session.endsAt <= now) await endSession(tx, session.sessionId);
}
