/** Checks in the transaction that the caller is still valid, because its state may change after the request starts. */

import { hasWholeToken, type Principal, requireUserCaller } from '../directory/principal.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Session, User } from '../store/tables.ts';
import { createAuthenticationError } from '../tokens/authentication-error.ts';
import { type ContentDeps, readUserContent, type UserContent } from '../tokens/content.ts';
import { rotateSessionRefreshToken } from './refresh-tokens.ts';
import { findActiveSession, narrowSession, withNarrowing } from './sessions.ts';

export interface ActiveUserSession {
  readonly user: User;
  readonly session: Session;
}

/** Rejects the request if the user was locked or removed, or the session ended, in the meantime. @throws IamError TOKEN_INVALID. */
export async function revalidateCaller(tx: Transaction, caller: Principal, clock: Clock): Promise<void> {
  const { client, user, session } = caller;
  const isInvalid =
    !(await tx.clients.get(client.clientId)) ||
    (user && ((await tx.users.get(user.userId))?.locked ?? true)) ||
    (session && !(await findActiveSession(tx, session.sessionId, epochSeconds(clock))));
  if (isInvalid) throw createAuthenticationError('TOKEN_INVALID');
}

/**
 * The current state of the caller's user and session; call it inside a transaction.
 * @throws IamError USER_MISSING; TOKEN_INVALID if the session has ended, or the user is locked or removed.
 */
export async function revalidateUserCaller(
  reader: Pick<Reader, 'users' | 'sessions'>,
  caller: Principal,
  clock: Clock,
): Promise<ActiveUserSession> {
  const before = requireUserCaller(caller);
  const user = await reader.users.get(before.user.userId);
  const session = await findActiveSession(reader, before.session.sessionId, epochSeconds(clock));
  if (!user || user.locked || !session) throw createAuthenticationError('TOKEN_INVALID');
  return { user, session };
}

/** What a token for the caller's changed session says: it has at most the scope and the audiences of the calling token. */
export function readCallerContent(
  deps: ContentDeps,
  caller: Principal,
  { user, session, refreshToken }: ActiveUserSession & { readonly refreshToken?: string | undefined },
): Promise<UserContent> {
  const { client, scope, narrowed = [], resources = session.resources } = caller;
  const granted = { ...narrowSession(withNarrowing(session, narrowed), client, [...scope]), resources };
  return readUserContent(deps, { user, session: granted, client, refreshToken });
}

/**
 * Replaces the refresh token of a changed session. A caller whose token has less than the session gets none, and the existing
 * refresh token remains: renewing with a new one would grant it more than it has. So it does after a login with a browser, whose
 * application alone renews it.
 */
export async function rotateCallerRefreshToken(
  tx: Transaction,
  caller: Principal,
  session: Session,
  deps: Parameters<typeof rotateSessionRefreshToken>[2],
): Promise<string | undefined> {
  return hasWholeToken(caller) && session.openid === undefined
    ? rotateSessionRefreshToken(tx, session, deps)
    : undefined;
}
