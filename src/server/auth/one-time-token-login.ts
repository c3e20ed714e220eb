/** Redeems a one-time token of generate-param for a session of the same user in another client. */

import { epochSeconds } from '../lib/clock.ts';
import { findDeviceByToken } from '../sessions/devices.ts';
import { deriveSession, findActiveSession, type SessionDeps } from '../sessions/sessions.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client, OneTimeToken, Session, User } from '../store/tables.ts';
import { createAuthenticationError } from '../tokens/authentication-error.ts';
import { consumeOneTimeToken } from '../tokens/one-time-tokens.ts';

export interface OneTimeTokenLoginRequest {
  readonly param: string;
  readonly client: Client;
  readonly deviceTokenId?: string | undefined;
}

/**
 * Starts a new session of the user of the token. A rejected request does not consume the token.
 * @throws IamError CREDENTIALS_INVALID, for every failure.
 */
export async function loginWithOneTimeToken(
  tx: Transaction,
  { param, client, deviceTokenId }: OneTimeTokenLoginRequest,
  deps: SessionDeps,
): Promise<{ readonly user: User; readonly session: Session }> {
  const token = await consumeOneTimeToken(tx, 'param', param, deps.clock);
  if (!token || (token.targetClientId ?? client.clientId) !== client.clientId)
    throw createAuthenticationError('CREDENTIALS_INVALID');
  const now = epochSeconds(deps.clock);
  const { user, source } = await requireSourceSession(tx, token, now);
  const device = deviceTokenId === undefined ? undefined : await findDeviceByToken(tx, user.userId, deviceTokenId);
  const session = await deriveSession(
    tx,
    {
      client,
      remember: false,
      scope: token.scope,
      resources: token.resources,
      reduced: token.reduced,
      device,
      parentSession: source,
    },
    deps,
  );
  return { user, session };
}

/** The current state of the session that issued the token, and of its user. */
async function requireSourceSession(
  reader: Pick<Reader, 'users' | 'sessions'>,
  { userId = '', sessionId = '' }: OneTimeToken,
  now: number,
): Promise<{ readonly user: User; readonly source: Session }> {
  const user = await reader.users.get(userId);
  const source = await findActiveSession(reader, sessionId, now);
  if (!user || user.locked || source?.userId !== userId) throw createAuthenticationError('CREDENTIALS_INVALID');
  return { user, source };
}
