/** Ends sessions with their refresh tokens. */
import type { Transaction } from '../store/store.ts';

/** Ends a session: deletes it with its refresh tokens. Tokens that reference it become invalid. */
export async function endSession(tx: Transaction, sessionId: string): Promise<void> {
  for (const token of await tx.refreshTokens.find('sessionId', sessionId))
    await tx.refreshTokens.delete(token.tokenHash);
  // A browser session ends with those of the clients that it logged in to (OpenID Connect RP-Initiated Logout 1.0).
  for (const started of await tx.sessions.find('browserSession', sessionId)) await endSession(tx, started.sessionId);
  await tx.sessions.delete(sessionId);
}

/** Ends every session of a user, optionally except one. */
export async function endSessionsOfUser(tx: Transaction, userId: string, except?: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('userId', userId))
    if (sessionId !== except) await endSession(tx, sessionId);
}

export async function endSessionsOfLogon(tx: Transaction, logon: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('logon', logon)) await endSession(tx, sessionId);
}

export async function endSessionsOfClient(tx: Transaction, clientId: string): Promise<void> {
  for (const { sessionId } of await tx.sessions.find('clientId', clientId)) await endSession(tx, sessionId);
}

/** Ends the sessions in which a client acts for itself, not those of users. */
export async function endOwnSessionsOfClient(tx: Transaction, clientId: string): Promise<void> {
  for (const { sessionId, userId, logon } of await tx.sessions.find('clientId', clientId))
    if (userId === undefined && logon === undefined) await endSession(tx, sessionId);
}
