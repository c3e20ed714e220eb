/** Whether the user who calls is still who may call: what came between the start of a call and its transaction counts. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Session, User } from '../store/tables.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import { createAuthenticationError } from './authenticate.ts';
import { type Principal, requireUserCaller } from './principal.ts';
import { issueSessionToken, type SessionTokenDeps } from './session-tokens.ts';
import { findActiveSession, rotateSessionRefreshToken } from './sessions.ts';

export interface ActiveUserSession {
  readonly user: User;
  readonly session: Session;
}

/**
 * The user and the session of the caller as they are now; to be asked inside a transaction.
 * @throws IamError USER_MISSING; TOKEN_INVALID where the session is over, or the user is locked or gone.
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

/**
 * A token for the caller's session as it was changed, of no wider scope than the token that he calls with.
 * @throws IamError TOKEN_INVALID where the user was locked or removed meanwhile.
 */
export async function issueCallerToken(
  deps: SessionTokenDeps,
  caller: Principal,
  changed: { readonly session: Session; readonly refreshToken?: string | undefined },
): Promise<TokenResponse> {
  const { scope: sessionScope } = changed.session;
  const session = {
    ...changed.session,
    scope: [...caller.scope].filter((name) => sessionScope?.includes(name) ?? true),
  };
  const token = await issueSessionToken(deps, session, caller.client, { refreshToken: changed.refreshToken });
  if (!token) throw createAuthenticationError('TOKEN_INVALID');
  return token;
}

/**
 * A new refresh token in the place of the session's own, for the caller of a changed session. One whose token is narrower
 * than the session gets none, and the session keeps its own: what he renewed by it would be wider than what he has.
 */
export async function rotateCallerRefreshToken(
  tx: Transaction,
  caller: Principal,
  session: Session,
  deps: Parameters<typeof rotateSessionRefreshToken>[2],
): Promise<string | undefined> {
  const fullScope = session.scope ?? caller.client.scope;
  return fullScope.every((name) => caller.scope.has(name)) ? rotateSessionRefreshToken(tx, session, deps) : undefined;
}
