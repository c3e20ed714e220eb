/** Whether the user who calls is still who may call: what came between the start of a call and its transaction counts. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Session, User } from '../store/tables.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import { unauthenticated } from './authenticate.ts';
import { type Principal, requireUserCaller } from './principal.ts';
import { type SessionTokenTools, tokenInSession } from './session-tokens.ts';
import { rotateOwn, sessionInForce } from './sessions.ts';

export interface Standing {
  readonly user: User;
  readonly session: Session;
}

/**
 * The user and the session of the caller as they are now; to be asked inside a transaction.
 * @throws IamError USER_MISSING; TOKEN_INVALID where the session is over, or the user is locked or gone.
 */
export async function requireStanding(
  reader: Pick<Reader, 'users' | 'sessions'>,
  caller: Principal,
  clock: Clock,
): Promise<Standing> {
  const called = requireUserCaller(caller);
  const user = await reader.users.get(called.user.userId);
  const session = await sessionInForce(reader, called.session.sessionId, epochSeconds(clock));
  if (!user || user.locked || !session) throw unauthenticated('TOKEN_INVALID');
  return { user, session };
}

/**
 * A token for the caller's session as it was changed, of no wider scope than the token that he calls with.
 * @throws IamError TOKEN_INVALID where the user was locked or removed meanwhile.
 */
export async function tokenForCaller(
  tools: SessionTokenTools,
  caller: Principal,
  changed: { readonly session: Session; readonly refreshToken?: string | undefined },
): Promise<TokenResponse> {
  const { scope: most } = changed.session;
  const session = { ...changed.session, scope: [...caller.scope].filter((name) => most?.includes(name) ?? true) };
  const token = await tokenInSession(tools, session, caller.client, { refreshToken: changed.refreshToken });
  if (!token) throw unauthenticated('TOKEN_INVALID');
  return token;
}

/**
 * A new refresh token in the place of the session's own, for the caller of a changed session. One whose token is narrower
 * than the session gets none, and the session keeps its own: what he renewed by it would be wider than what he has.
 */
export async function rotateFor(
  tx: Transaction,
  caller: Principal,
  session: Session,
  tools: Parameters<typeof rotateOwn>[2],
): Promise<string | undefined> {
  const full = session.scope ?? caller.client.scope;
  return full.every((name) => caller.scope.has(name)) ? rotateOwn(tx, session, tools) : undefined;
}
