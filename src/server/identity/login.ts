/** Logging a user in by a password. Whatever is wrong, the answer and the work are the same. */
import type { Clock } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import type { Store } from '../store/store.ts';
import { type Client, foldIdentifier, type User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import { type Authentication, basicChallenge, unauthenticated } from './authenticate.ts';
import type { Pair } from './credentials.ts';
import type { Passwords } from './passwords.ts';
import { type SessionStart, startSession } from './sessions.ts';
import { findByLogin } from './users.ts';

/** What logging in needs of a call's context. */
export interface LoginTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly issuer: TokenIssuer;
  readonly passwords: Passwords;
  readonly authentication: Authentication;
}

const longestPassword = 128;

/** @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY. */
export async function loginWithPassword(
  tools: LoginTools,
  pair: Pair,
  client: Client,
  wishes: Pick<SessionStart, 'remember' | 'renewable' | 'scope'>,
): Promise<TokenResponse> {
  const user = await proveByPassword(tools, pair);
  const started = await tools.store.transaction(async (tx) => {
    const current = await tx.users.get(user.userId);
    // What happened while the password was checked counts: a lock, a removal, a new password.
    if (!current || current.locked || current.passwordHash !== user.passwordHash) throw refused();
    const start = { ...wishes, clientId: client.clientId, userId: user.userId, level: 'AUTH-BASIC' } as const;
    return { current, ...(await startSession(tx, start, tools)) };
  });
  return tools.issuer.forUser(started.current, started.session, client, { refreshToken: started.refreshToken });
}

/**
 * The user whom name and password belong to. Ways of giving a password count together, for each user by its id.
 * @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY.
 */
export async function proveByPassword(
  { store, passwords, authentication }: LoginTools,
  { name, secret }: Pair,
): Promise<User> {
  const user = await findByLogin(store, name);
  const identity = `user:${user?.userId ?? foldIdentifier(name)}`;
  const proven = await authentication.holdBack.attempt(identity, async () => {
    if ([...secret].length > longestPassword) return undefined;
    return (await passwords.matches(secret, user?.passwordHash)) ? user : undefined;
  });
  if (!proven || proven.locked) throw refused();
  return proven;
}

function refused() {
  return unauthenticated('CREDENTIALS_INVALID', basicChallenge);
}
