/** Signs users in without credentials, for tests of other features. Callers check that test features are enabled. */
import { apiError } from '../../contract/errors.ts';
import type { signInLevels } from '../../contract/testing/sign-in-levels.ts';
import { isOwnerActive } from '../directory/clients.ts';
import { type Browser, createBrowser, type LoggedIn, toBrowserPart, toLoggedIn } from '../sessions/browser-sessions.ts';
import { type SessionDeps, startSession } from '../sessions/sessions.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client, Session, User } from '../store/tables.ts';
import { type ContentDeps, readUserContent, type UserContent } from '../tokens/content.ts';
import { findUserByLogin } from '../users/users.ts';

export interface SignInRequest {
  readonly userId?: string | undefined;
  /** Any login name. The user is found by id or name if both are given. */
  readonly userName?: string | undefined;
  readonly level: (typeof signInLevels)[number];
  /** Default: the application client of the server. */
  readonly clientId?: string | undefined;
  readonly remember: boolean;
  /** Of a session of a browser, which has no refresh token. */
  readonly browser?: Session['browser'];
}

/**
 * Starts a session of a user without a password, and returns what its token says. Reads and writes in one transaction, so that a concurrent lock wins.
 * @throws IamError USER_NOT_FOUND, USER_LOCKED, CLIENT_NOT_FOUND.
 */
export function startSessionWithoutPassword(
  request: SignInRequest,
  deps: SessionDeps & ContentDeps,
): Promise<UserContent> {
  const { level, remember, browser } = request;
  return deps.store.transaction(async (tx) => {
    const user = await findUnlockedUser(tx, request);
    const client = await findSignInClient(tx, request.clientId);
    // A third-party client renews only what a login with a browser started.
    const isRenewed = client.party === '1STPARTY' && client.grantTypes.includes('refresh_token');
    const renewable = browser === undefined && isRenewed;
    const start = { client, userId: user.userId, level, remember, renewable, browser };
    return readUserContent(deps, { user, client, ...(await startSession(tx, start, deps)) });
  });
}

/**
 * A browser with a new cookie, in which the user is logged in without a password.
 * @throws IamError as `startSessionWithoutPassword`.
 */
export async function startBrowserWithoutPassword(
  request: Omit<SignInRequest, 'remember' | 'browser'>,
  deps: SessionDeps & ContentDeps,
): Promise<Browser & { readonly current: LoggedIn }> {
  const next = createBrowser(deps);
  const browser = toBrowserPart(deps, next, { methods: ['user'] });
  return {
    ...next,
    current: toLoggedIn(await startSessionWithoutPassword({ ...request, remember: false, browser }, deps)),
  };
}

/**
 * The client to issue a token to without its secret. @throws IamError CLIENT_NOT_FOUND, USER_LOCKED if its owner is a
 * locked user, or was removed.
 */
export async function requireActiveClient(reader: Reader, clientId: string): Promise<Client> {
  const client = await reader.clients.get(clientId);
  if (!client) throw apiError('CLIENT_NOT_FOUND', `Client ${clientId} not found.`);
  if (!(await isOwnerActive(reader, client)))
    throw apiError('USER_LOCKED', `The owner of the client ${clientId} was removed, or is a locked user.`);
  return client;
}

/** The user with this id or name. @throws IamError USER_NOT_FOUND, USER_LOCKED. */
export async function findUnlockedUser(
  tx: Transaction,
  { userId, userName }: Pick<SignInRequest, 'userId' | 'userName'>,
): Promise<User> {
  const byId = userId === undefined ? undefined : await tx.users.get(userId);
  const user = byId ?? (userName === undefined ? undefined : await findUserByLogin(tx, userName));
  const name = userId ?? userName;
  if (!user) throw apiError('USER_NOT_FOUND', `User ${name} not found.`);
  if (user.locked) throw apiError('USER_LOCKED', `User ${name} is locked.`);
  return user;
}

async function findSignInClient(tx: Transaction, clientId: string | undefined): Promise<Client> {
  const client = clientId === undefined ? await tx.clients.getBy('bootstrap', 'app') : await tx.clients.get(clientId);
  if (client) return client;
  const message = clientId === undefined ? 'The server has no application client.' : `Client ${clientId} not found.`;
  throw apiError('CLIENT_NOT_FOUND', message);
}
