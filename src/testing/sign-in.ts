/** Signs users in without their passwords, for tests that are about something else. */
import type { TokenSource } from '../client/index.ts';
import type { AppContext } from '../server/app-context.ts';
import { startSession } from '../server/identity/sessions.ts';
import { findUserByLogin } from '../server/identity/user-roles.ts';

export interface SignInOptions {
  /** How well the user is to have proven himself; AUTH-BASIC where missing, as after a password. */
  readonly level?: 'AUTH-IDENTIFIED' | 'AUTH-BASIC' | 'AUTH-MFA' | undefined;
  /** The client to sign in through; the application client of the server where missing. */
  readonly clientId?: string | undefined;
  /** A session that is remembered, whose access tokens are short. */
  readonly remember?: boolean | undefined;
}

export interface SignInResult {
  readonly accessToken: string;
  /** Where the client may renew tokens. */
  readonly refreshToken?: string;
  readonly userId: string;
  readonly sessionId: string;
}

const levels: readonly string[] = ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'];

/**
 * A new session of a user, found by id or any login name, and its tokens.
 * @throws RangeError where there is no such level, Error where there is no such user or client, or the user is locked.
 */
export async function signInUser(
  world: AppContext,
  name: string,
  { level = 'AUTH-BASIC', clientId, remember = false }: SignInOptions = {},
): Promise<SignInResult> {
  if (!levels.includes(level)) throw new RangeError(`${level} is no level; there are ${levels.join(', ')}.`);
  const { store, issuer } = world;
  const user = (await store.users.get(name)) ?? (await findUserByLogin(store, name));
  if (!user) throw new Error(`There is no user ${name}.`);
  if (user.locked) throw new Error(`The user ${name} is locked.`);
  const client =
    clientId === undefined ? await store.clients.getBy('bootstrap', 'app') : await store.clients.get(clientId);
  if (!client) throw new Error(`There is no client ${clientId ?? 'for users to sign in through'}.`);
  const { userId } = user;
  const renewable = client.grantTypes.includes('refresh_token');
  const start = { clientId: client.clientId, userId, level, remember, renewable };
  const { session, refreshToken } = await store.transaction((tx) => startSession(tx, start, world));
  const { accessToken } = await issuer.issueForUser(user, session, client);
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    userId,
    sessionId: session.sessionId,
  };
}

/** The token of one session, begun at the first call. It ends as any other: nothing renews it. */
export function createSignInTokenSource(startSession: () => Promise<SignInResult>): TokenSource {
  let session: Promise<SignInResult> | undefined;
  return {
    async token() {
      session ??= startSession();
      return (await session).accessToken;
    },
    renew: () => false,
  };
}
