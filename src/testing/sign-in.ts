/** Signs users in without passwords, for tests of other features. */
import type { TokenSource } from '../client/index.ts';
import type { AppContext } from '../server/app-context.ts';
import { startSession } from '../server/sessions/sessions.ts';
import { findUserByLogin } from '../server/users/users.ts';

export interface SignInOptions {
  /** Authentication level. Default: AUTH-BASIC, as after a password login. */
  readonly level?: 'AUTH-IDENTIFIED' | 'AUTH-BASIC' | 'AUTH-MFA' | undefined;
  /** The client to sign in through. Default: the application client of the server. */
  readonly clientId?: string | undefined;
  /** Creates a remembered session, whose access tokens are short-lived. */
  readonly remember?: boolean | undefined;
}

export interface SignInResult {
  readonly accessToken: string;
  /** Present if the client may renew tokens. */
  readonly refreshToken?: string;
  readonly userId: string;
  readonly sessionId: string;
}

const levels: readonly string[] = ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'];

/**
 * Creates a session of a user, by id or any login name, and returns its tokens.
 * @throws RangeError for an unknown level; Error if the user or client does not exist, or the user is locked.
 */
export async function signInUser(
  context: AppContext,
  name: string,
  { level = 'AUTH-BASIC', clientId, remember = false }: SignInOptions = {},
): Promise<SignInResult> {
  if (!levels.includes(level)) throw new RangeError(`Unknown level ${level}. Use one of ${levels.join(', ')}.`);
  const { store, issuer } = context;
  const user = (await store.users.get(name)) ?? (await findUserByLogin(store, name));
  if (!user) throw new Error(`User ${name} not found.`);
  if (user.locked) throw new Error(`User ${name} is locked.`);
  const client =
    clientId === undefined ? await store.clients.getBy('bootstrap', 'app') : await store.clients.get(clientId);
  if (!client)
    throw new Error(clientId === undefined ? 'The server has no application client.' : `Client ${clientId} not found.`);
  const { userId } = user;
  const renewable = client.grantTypes.includes('refresh_token');
  const start = { clientId: client.clientId, userId, level, remember, renewable };
  const { session, refreshToken } = await store.transaction((tx) => startSession(tx, start, context));
  const { accessToken } = await issuer.issueForUser(user, session, client);
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    userId,
    sessionId: session.sessionId,
  };
}

/** A token source for one session, created on the first request. The token is not renewed. */
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
