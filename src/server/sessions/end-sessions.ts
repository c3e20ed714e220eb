/** Ends sessions with their refresh tokens. */
import type { Transaction } from '../store/store.ts';
import type { Session } from '../store/tables.ts';

/** What ending a session needs to know of it: the sessions that tokens refer to are none of browsers. */
type EndingSession = Pick<Session, 'sessionId' | 'browser'>;

/**
 * Ends a session: deletes it with its refresh tokens. Tokens that reference it become invalid. One of a browser ends with
 * those of the clients that it logged in to (OpenID Connect RP-Initiated Logout 1.0).
 */
export async function endSession(tx: Transaction, { sessionId, browser }: EndingSession): Promise<void> {
  if (browser)
    for (const started of await tx.sessions.find('browserSession', sessionId))
      await deleteSession(tx, started.sessionId);
  await deleteSession(tx, sessionId);
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

/** Ends the sessions in which a client acts for itself, not those of users. */
export async function endOwnSessionsOfClient(tx: Transaction, clientId: string): Promise<void> {
  for (const { sessionId, userId, logon } of await tx.sessions.find('clientId', clientId))
    if (userId === undefined && logon === undefined) await deleteSession(tx, sessionId);
}
