/** Sessions: what a login begins, what tokens name, and what locks, removals and password changes end. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Random } from '../random.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Device, Session } from '../store/tables.ts';
import { hashSecret } from './secrets.ts';
import type { AuthenticationLevel } from './user-roles.ts';

const hours = 3600;
const days = 24 * hours;
/** Whatever is renewed, a session without a refresh token ends then. */
const sessionLifetimeSeconds = 12 * hours;
/** With one it ends so long after the login, */
const absoluteLifetimeSeconds = 90 * days;
/** or when its refresh token was not used for so long. */
const idleTimeoutSeconds = 30 * days;
/** So long the second proof counts. */
const mfaLifetimeSeconds = 12 * hours;
/** At each login, twice. */
const cleanupBatchSize = 8;

export interface SessionOptions {
  readonly clientId: string;
  readonly userId?: string | undefined;
  readonly level: AuthenticationLevel;
  readonly remember: boolean;
  /** A part of the client's scope, where less was asked for. */
  readonly scope?: readonly string[] | undefined;
  /** Whether it gets a refresh token. */
  readonly renewable: boolean;
  /** The mainframe logon that it begins with. */
  readonly logon?: string | undefined;
  /** The device that its refresh token is bound to from the start. */
  readonly deviceKey?: string | undefined;
  /** The session that it comes from: proofs of that one count here as long as there, and it ends no later. */
  readonly parentSession?: Session | undefined;
}

export interface SessionDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/** A session with its first refresh token, where it has one. Some ended ones of the same user or client are cleared away. */
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

/** UUID-shaped and opaque, of 122 random bits from the system; stored as a hash. */
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

/** Why a refresh token was not taken: the caller is told none of it. */
export type RefreshTokenRotation =
  | { readonly outcome: 'rotated'; readonly session: Session; readonly refreshToken: string }
  | { readonly outcome: 'refused' }
  /** It had been used before: the whole session was ended with it. */
  | { readonly outcome: 'reused' };

/** Who renews. */
export interface Renewer {
  readonly clientId: string;
  /** The client has shown its secret or a key: what it has of itself, and not from a user, it renews in no other way. */
  readonly hasClientCredential: boolean;
  /**
   * The device it shows. A session that is bound to one is renewed with it alone; another is bound to it from then on.
   * `unknown` is one that is nobody's: nothing is renewed with it.
   */
  readonly device?: Device | 'unknown' | undefined;
}

/**
 * Takes a refresh token for a new one, if it belongs to this client and device. Inside one transaction, so of many
 * parallel uses one wins; each of the others counts as a second use and ends the session. Another client can't do that:
 * what it shows is refused and nothing comes of it.
 */
export async function rotateRefreshToken(
  tx: Transaction,
  token: string,
  renewer: Renewer,
  deps: SessionDeps,
): Promise<RefreshTokenRotation> {
  const row = await tx.refreshTokens.get(hashSecret(token));
  const session = row && (await tx.sessions.get(row.sessionId));
  if (!row || session?.clientId !== renewer.clientId) return { outcome: 'refused' };
  if (row.used) {
    await endSession(tx, session.sessionId);
    return { outcome: 'reused' };
  }
  const now = epochSeconds(deps.clock);
  const isActive = session.endsAt > now && !isIdle(row, now);
  if (!isActive || !mayRenew(session, renewer) || !(await isUserActive(tx, session))) return { outcome: 'refused' };
  await tx.refreshTokens.replace({ ...row, used: true });
  const { device } = renewer;
  const isNewDevice = typeof device === 'object' && session.deviceKey === undefined;
  const bound = isNewDevice ? await bindToDevice(tx, session, device) : session;
  return { outcome: 'rotated', session: bound, refreshToken: await issueRefreshToken(tx, bound, deps) };
}

function isIdle({ issuedAt }: { readonly issuedAt: number }, now: number): boolean {
  return issuedAt + idleTimeoutSeconds <= now;
}

function mayRenew(session: Session, { hasClientCredential, device }: Renewer): boolean {
  if (device === 'unknown') return false;
  if (device !== undefined && session.userId !== device.userId) return false;
  if (session.userId === undefined && session.logon === undefined && !hasClientCredential) return false;
  return session.deviceKey === undefined || session.deviceKey === device?.deviceKey;
}

/** A lock ends the sessions of a user; one that came another way, such as from a seed, counts as well. */
async function isUserActive(reader: Pick<Reader, 'users'>, { userId }: Session): Promise<boolean> {
  return userId === undefined || (await reader.users.get(userId))?.locked === false;
}

/** From now on only this device renews the session. */
export async function bindToDevice(tx: Transaction, session: Session, { deviceKey }: Device): Promise<Session> {
  const bound = { ...session, deviceKey };
  await tx.sessions.replace(bound);
  return bound;
}

/** The session goes on with another client, to which its refresh token belongs from now on. */
export async function transferSession(
  tx: Transaction,
  { scope: _before, ...session }: Session,
  to: Pick<Session, 'clientId' | 'scope'>,
): Promise<Session> {
  const transferred = { ...session, ...to };
  await tx.sessions.replace(transferred);
  return transferred;
}

/** A new refresh token in the place of the session's own, where it has one: what changes the session changes that too. */
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

/** Whether a refresh token of the session is still taken. */
export async function isRenewable(
  reader: Pick<Reader, 'refreshTokens'>,
  { sessionId }: Session,
  now: number,
): Promise<boolean> {
  const tokens = await reader.refreshTokens.find('sessionId', sessionId);
  return tokens.some(({ used, issuedAt }) => !used && issuedAt + idleTimeoutSeconds > now);
}

/** When a refresh token is taken no more, unless it is used before: in epoch seconds. */
export function computeRefreshTokenExpiry({ issuedAt }: { readonly issuedAt: number }, { endsAt }: Session): number {
  return Math.min(endsAt, issuedAt + idleTimeoutSeconds);
}

/** The level that a session has now: the second proof lasts 12 hours. */
export function computeLevel(session: Session, now: number): AuthenticationLevel {
  if (session.level !== 'AUTH-MFA') return session.level;
  return (session.mfaAt ?? 0) + mfaLifetimeSeconds > now ? 'AUTH-MFA' : 'AUTH-BASIC';
}

/** The session of this id, while it lasts. */
export async function findActiveSession(
  reader: Pick<Reader, 'sessions'>,
  sessionId: string,
  now: number,
): Promise<Session | undefined> {
  const session = await reader.sessions.get(sessionId);
  return session && session.endsAt > now ? session : undefined;
}

/** Ends a session: its refresh tokens go, and tokens that name it are no longer taken. */
export async function endSession(tx: Transaction, sessionId: string): Promise<void> {
  for (const token of await tx.refreshTokens.find('sessionId', sessionId))
    await tx.refreshTokens.delete(token.tokenHash);
  await tx.sessions.delete(sessionId);
}

/** Ends every session of a user, but for one that is to stay. */
export async function endSessionsOfUser(tx: Transaction, userId: string, except?: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('userId', userId))
    if (sessionId !== except) await endSession(tx, sessionId);
}

/** Ends every session that began with a mainframe logon. */
export async function endSessionsOfLogon(tx: Transaction, logon: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('logon', logon)) await endSession(tx, sessionId);
}

/** Ends every session that began with a client. */
export async function endSessionsOfClient(tx: Transaction, clientId: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('clientId', clientId)) await endSession(tx, sessionId);
}

/**
 * Looks at a few of the sessions, from anywhere among them, and clears the ended ones away: more than come anew, so they
 * do not pile up, and never so many that whoever logs in often waits for it.
 */
async function deleteEndedSessions(
  tx: Transaction,
  { userId, clientId }: SessionOptions,
  now: number,
  random: Random,
): Promise<void> {
  const some = (after?: string) =>
    userId === undefined
      ? tx.sessions.find('clientId', clientId, { after, limit: cleanupBatchSize })
      : tx.sessions.find('userId', userId, { after, limit: cleanupBatchSize });
  for (const session of [...(await some(random.uuid())), ...(await some())])
    if (session.endsAt <= now) await endSession(tx, session.sessionId);
}
