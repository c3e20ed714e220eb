/** Ends sessions with their refresh tokens. */
import { losesLogins, takesPartInLoginsOf } from '../directory/login-approval.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client, OneTimeToken, Session } from '../store/tables.ts';

/**
 * Ends a session: deletes it with its refresh tokens. Tokens that reference it become invalid. One of a browser ends with
 * those of the clients that it logged in to (OpenID Connect RP-Initiated Logout 1.0), and each with those that its tokens
 * started: a thief of a token keeps none of them (RFC 9700, 4.14.2).
 */
export async function endSession(tx: Transaction, session: Pick<Session, 'sessionId'>): Promise<void> {
  const started = await listStartedSessions(tx, session);
  for (const { sessionId } of [session, ...started]) await deleteSession(tx, sessionId);
}

/** The sessions that end with this one. */
export async function listStartedSessions(
  reader: Pick<Reader, 'sessions'>,
  { sessionId }: Pick<Session, 'sessionId'>,
): Promise<readonly Session[]> {
  const found = new Map<string, Session>();
  // A file that was changed may contain sessions that started each other.
  const ids = new Set([sessionId]);
  for (const id of ids) {
    const ofBrowser = await reader.sessions.find('browserSession', id);
    for (const session of [...ofBrowser, ...(await reader.sessions.find('startedBy', id))]) {
      found.set(session.sessionId, session);
      ids.add(session.sessionId);
    }
  }
  found.delete(sessionId);
  return [...found.values()];
}

async function deleteSession(tx: Transaction, sessionId: string): Promise<void> {
  for (const token of await tx.refreshTokens.find('sessionId', sessionId))
    await tx.refreshTokens.delete(token.tokenHash);
  await tx.sessions.delete(sessionId);
}

/** Ends every session of a user, optionally except one, which stays when that of its browser ends. */
export async function endSessionsOfUser(tx: Transaction, userId: string, except?: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('userId', userId))
    if (sessionId !== except) await deleteSession(tx, sessionId);
}

export async function endSessionsOfLogon(tx: Transaction, logon: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('logon', logon)) await deleteSession(tx, sessionId);
}

/** Not those of browsers that a user logged in with there: other applications share them. */
export async function endSessionsOfClient(tx: Transaction, clientId: string): Promise<void> {
  for (const session of await tx.sessions.find('clientId', clientId))
    if (!session.browser) await endSession(tx, session);
}

/**
 * Ends sessions of a client after its change: those of logins with a browser or a device, if users can no longer log in to it
 * in this way or it can no longer renew them, and those of all its users, if it becomes third-party. Otherwise the holder of
 * one access token could renew it until the session ends, also at another client. Logins in progress end too: a new approval
 * does not complete them. The session of the browser stays.
 */
export async function endLoginsOfChangedClient(tx: Transaction, before: Client, after: Client): Promise<void> {
  if (!losesLogins(before, after)) return;
  const { clientId } = before;
  for (const ticket of await tx.tickets.find('clientId', clientId))
    if (isLoginInProgress(ticket)) await tx.tickets.delete(ticket.ticketHash);
  const losesRenewal = before.grantTypes.includes('refresh_token') && !after.grantTypes.includes('refresh_token');
  const isEnded = (openid: Session['openid']) => openid && (losesRenewal || !takesPartInLoginsOf(after, openid));
  const isDemoted = before.party === '1STPARTY' && after.party === '3RDPARTY';
  for (const session of await tx.sessions.find('clientId', clientId))
    if (isOfPerson(session) && !session.browser && (isDemoted || isEnded(session.openid)))
      await endSession(tx, session);
}

function isOfPerson({ userId, logon }: Session): boolean {
  return userId !== undefined || logon !== undefined;
}

const loginTickets: ReadonlySet<OneTimeToken['kind']> = new Set([
  'authorization-code',
  'pushed-request',
  'device-code',
  'user-code',
]);

/** A used code stays: its second use ends the session that the first one started. */
function isLoginInProgress({ kind, authorization }: OneTimeToken): boolean {
  return loginTickets.has(kind) && authorization?.startedSessionId === undefined;
}

/** Ends the sessions in which a client acts for itself, not those of users. */
export async function endOwnSessionsOfClient(tx: Transaction, clientId: string): Promise<void> {
  for (const session of await tx.sessions.find('clientId', clientId))
    if (!isOfPerson(session)) await deleteSession(tx, session.sessionId);
}
