/** Sessions: started by a login, referenced by tokens, ended by locks, removals and password changes. */

import { apiError } from '../../contract/errors.ts';
import { resolveSessionsPerUser, type Settings } from '../config/settings.ts';
import { type AuthenticationLevel, computeLevel } from '../directory/authentication-levels.ts';
import type { GrantedSession } from '../directory/principal.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import type { Random } from '../lib/random.ts';
import { limits } from '../limits/table.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { type Client, type Device, type Session, toSessionHolder } from '../store/tables.ts';
import { createAuthenticationError } from '../tokens/authentication-error.ts';
import { listAudiences } from '../tokens/claims.ts';
import { toDeviceBinding } from './devices.ts';
import { endSession } from './end-sessions.ts';
import { issueRefreshToken } from './refresh-tokens.ts';

const hours = 3600;
const days = 24 * hours;
/** Maximum lifetime of a session without a refresh token. */
const sessionLifetimeSeconds = 12 * hours;
/** Maximum lifetime of a session with one. */
const absoluteLifetimeSeconds = 90 * days;
/** Sessions checked at each login, in each of two positions. */
const cleanupBatchSize = 8;
/** Sessions read beyond the maximum: if it was lowered, each login ends this many more. */
const excessBatchSize = 64;

export interface SessionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Pick<Settings, 'sessionsPerUser' | 'allowRemote'>;
}

export interface SessionOptions {
  /** As the request read it. */
  readonly client: Pick<Client, 'clientId' | 'party'>;
  readonly userId?: string | undefined;
  readonly level: AuthenticationLevel;
  readonly remember: boolean;
  /** A subset of the client's scope, if the request asks for less. */
  readonly scope?: readonly string[] | undefined;
  /** The audiences of its tokens, if the request names them. */
  readonly resources?: readonly string[] | undefined;
  readonly renewable: boolean;
  readonly logon?: string | undefined;
  /** The device that the refresh token is bound to from the start. */
  readonly device?: Device | undefined;
  /** The session that this one is derived from: AUTH-MFA expires at the same time, this session ends no later and has no more audiences. */
  readonly parentSession?: Session | undefined;
  /** The session that this one ends with. */
  readonly startedBy?: string | undefined;
  /** Whether the token that it is started with has less than its session. */
  readonly reduced?: boolean | undefined;
  /** Of a session of a browser, or of a client that a browser session started. */
  readonly browser?: Session['browser'];
  readonly openid?: Session['openid'];
}

/**
 * Starts a session, with a refresh token if renewable. Deletes a few ended sessions of the same user or client, and ends
 * the oldest of the same user and client beyond the maximum.
 * @throws IamError CREDENTIALS_INVALID if the client was removed, or became one of a third party, since the request read it.
 */
export async function startSession(
  tx: Transaction,
  options: SessionOptions,
  deps: SessionDeps,
): Promise<{ session: Session; refreshToken?: string }> {
  const startedAt = epochSeconds(deps.clock);
  const { client, parentSession, resources = parentSession?.resources } = options;
  await assertSameParty(tx, client);
  const openid = options.openid ?? (parentSession?.openid && narrowOpenid(parentSession.openid, options.scope));
  await deleteEndedSessions(tx, options, startedAt, deps.random);
  const session: Session = {
    sessionId: deps.random.uuid(),
    clientId: client.clientId,
    ...(options.userId === undefined ? {} : { userId: options.userId }),
    level: options.level,
    ...(options.level === 'AUTH-MFA' ? { mfaAt: options.parentSession?.mfaAt ?? startedAt } : {}),
    smart: options.parentSession?.smart ?? false,
    ...(options.scope === undefined ? {} : { scope: [...options.scope] }),
    ...(resources === undefined ? {} : { resources: [...resources] }),
    remember: options.remember,
    ...(options.startedBy === undefined ? {} : { derived: true as const }),
    ...(options.startedBy === undefined ? {} : { startedBy: options.startedBy }),
    ...(options.reduced || parentSession?.reduced ? { reduced: true as const } : {}),
    ...(options.logon === undefined ? {} : { logon: options.logon }),
    ...(options.device ? toDeviceBinding(options.device) : {}),
    ...(options.browser === undefined ? {} : { browser: options.browser }),
    ...(openid === undefined ? {} : { openid }),
    startedAt,
    endsAt: Math.min(
      startedAt + (options.renewable ? absoluteLifetimeSeconds : sessionLifetimeSeconds),
      options.parentSession?.endsAt ?? Number.POSITIVE_INFINITY,
    ),
  };
  await tx.sessions.insert(session);
  await endOldestSessions(tx, session, deps);
  return options.renewable ? { session, refreshToken: await issueRefreshToken(tx, session, deps) } : { session };
}

export interface DerivedSessionOptions
  extends Pick<SessionOptions, 'client' | 'remember' | 'scope' | 'resources' | 'device' | 'reduced'> {
  /** The active session whose token the caller has. */
  readonly parentSession: Session;
}

/** Starts a session with the user, the level and the logon of another one, which it ends with, and without a refresh token. */
export async function deriveSession(
  tx: Transaction,
  options: DerivedSessionOptions,
  deps: SessionDeps,
): Promise<Session> {
  const { userId, logon, sessionId: startedBy } = options.parentSession;
  const level = computeLevel(options.parentSession, epochSeconds(deps.clock));
  return (await startSession(tx, { ...options, startedBy, userId, logon, level, renewable: false }, deps)).session;
}

/** Moves a session to another client, where it counts as one more. */
export async function transferSession(
  tx: Transaction,
  { scope: _scope, ...session }: Session,
  to: Pick<Session, 'clientId' | 'scope'>,
  deps: SessionDeps,
): Promise<Session> {
  const transferred = { ...session, ...to };
  await tx.sessions.replace(transferred);
  if (to.clientId !== session.clientId) await endOldestSessions(tx, transferred, deps);
  return transferred;
}

/** A login takes a while, in which a seed can change the client: one of a third party gets no login that it could not ask for. */
async function assertSameParty(tx: Transaction, { clientId, party }: SessionOptions['client']): Promise<void> {
  if ((await tx.clients.get(clientId))?.party === party) return;
  const text = 'The client was removed, or became one of another party, during the login.';
  throw createAuthenticationError('CREDENTIALS_INVALID').withReason({ text });
}

/** The session with these scopes of it, which its next token has. */
export function narrowSession(
  session: GrantedSession,
  client: Pick<Client, 'scope'>,
  names: readonly string[],
): GrantedSession & { readonly scope: string[] } {
  const openid = session.openid && narrowOpenid(session.openid, names);
  const scope = names.filter((name) => !openid?.scopes.includes(name) && (session.scope?.includes(name) ?? true));
  const whole = [...(session.scope ?? client.scope), ...(session.openid?.scopes ?? [])];
  const narrowed = whole.every((name) => names.includes(name)) ? [] : (['scope'] as const);
  return { ...withNarrowing(session, narrowed), scope, ...(openid === undefined ? {} : { openid }) };
}

/** The session as a token says it that has less of these. */
export function withNarrowing(session: GrantedSession, more: NonNullable<GrantedSession['narrowed']>): GrantedSession {
  if (more.length === 0) return session;
  return { ...session, narrowed: [...new Set([...(session.narrowed ?? []), ...more])] };
}

/**
 * The session with the audiences that a request for its next token names (RFC 8707, 2.2).
 * @param resources which are audiences of the client; undefined if the request names none
 * @throws IamError TARGET_INVALID if the session has others, or none that the client still has.
 */
export function narrowAudiences(
  session: GrantedSession,
  client: Client,
  { resources, issuer }: { readonly resources: readonly string[] | undefined; readonly issuer: string },
): GrantedSession {
  const { resources: granted } = session;
  const known = listAudiences(client, issuer);
  if (granted && !(resources?.every((name) => granted.includes(name)) ?? granted.some((name) => known.includes(name))))
    throw apiError('TARGET_INVALID');
  if (resources === undefined) return session;
  // A session without any has those that the client gets later, too.
  const isNarrowed = granted?.every((name) => resources.includes(name)) !== true;
  return { ...withNarrowing(session, isNarrowed ? ['aud'] : []), resources: [...resources] };
}

function narrowOpenid(openid: NonNullable<Session['openid']>, names: readonly string[] | undefined) {
  return { ...openid, scopes: openid.scopes.filter((name) => names?.includes(name) ?? true) };
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

/**
 * Checks a few sessions, from a random position and from the start, and deletes those that have ended: more than are
 * inserted, so that they do not accumulate, but a bounded number, so that frequent logins are not delayed.
 */
async function deleteEndedSessions(
  tx: Transaction,
  { userId, client: { clientId } }: SessionOptions,
  now: number,
  random: Random,
): Promise<void> {
  const listBatch = (after?: string) =>
    userId === undefined
      ? tx.sessions.find('clientId', clientId, { after, limit: cleanupBatchSize })
      : tx.sessions.find('userId', userId, { after, limit: cleanupBatchSize });
  const batches = await Promise.all([listBatch(random.uuid()), listBatch()]);
  for (const session of batches.flat()) if (session.endsAt <= now) await endSession(tx, session);
}

/**
 * Makes room for a new session, which is in the store: of a user it never ends one of another user. The new one ends, too, if
 * one of those started it: otherwise nothing would end it with the session at the start of the chain.
 */
async function endOldestSessions(
  tx: Transaction,
  session: Session,
  { clock, settings }: Pick<SessionDeps, 'clock' | 'settings'>,
): Promise<void> {
  const most = await findMaxSessions(tx, session, settings);
  if (most === undefined) return;
  const now = epochSeconds(clock);
  const sessions = await tx.sessions.find('holder', toSessionHolder(session), { limit: most + excessBatchSize });
  const newestFirst = sessions
    .filter(({ sessionId, endsAt }) => sessionId !== session.sessionId && endsAt > now)
    .toSorted((one, other) => other.startedAt - one.startedAt);
  for (const oldest of newestFirst.slice(most - 1)) await endSession(tx, oldest);
}

async function findMaxSessions(
  tx: Transaction,
  { userId, logon, clientId }: Session,
  settings: SessionDeps['settings'],
): Promise<number | undefined> {
  if (userId !== undefined || logon !== undefined) return resolveSessionsPerUser(settings);
  const client = await tx.clients.get(clientId);
  return client?.party === '3RDPARTY' ? limits.ownSessionsPerClient.max : undefined;
}

/** The number of a user's sessions that have not ended. Reads them page by page, yielding to the event loop. */
export async function countActiveSessions(
  reader: Pick<Reader, 'sessions'>,
  userId: string,
  now: number,
): Promise<number> {
  const limit = 1000;
  const pause = createPause(1);
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const sessions = await reader.sessions.find('userId', userId, { after, limit });
    count += sessions.filter(({ endsAt }) => endsAt > now).length;
    if (sessions.length < limit) return count;
    after = sessions.at(-1)?.sessionId;
    await pause();
  }
}
