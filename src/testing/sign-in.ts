/** Signs users in without passwords, for tests of other features. */

import { InputError, type TokenSource } from '../client/index.ts';
import { signInLevels } from '../contract/testing/sign-in-levels.ts';
import type { AppContext } from '../server/app-context.ts';
import { requireActiveClient, startSessionWithoutPassword } from '../server/auth/sign-in.ts';
import { readClientContent } from '../server/tokens/content.ts';
import { assertKnownKeys } from './assert-known-keys.ts';

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

const optionNames: Readonly<Record<keyof SignInOptions, true>> = { level: true, clientId: true, remember: true };

/**
 * Creates a session of a user, by id or any login name, and returns its tokens.
 * @throws InputError for an unknown level; IamError if the user or client does not exist, or the user is locked.
 */
export async function signInUser(
  context: AppContext,
  user: string,
  options: SignInOptions = {},
): Promise<SignInResult> {
  assertKnownKeys('signIn', options, optionNames);
  const { clientId, remember = false } = options;
  const level = readLevel(options);
  const started = await startSessionWithoutPassword(
    { userId: user, userName: user, level, clientId, remember },
    context,
  );
  const { accessToken } = await context.issuer.issue(started);
  const { refreshToken } = started;
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    userId: started.user.userId,
    sessionId: started.session.sessionId,
  };
}

/** @throws InputError for an unknown level. */
export function readLevel({ level = 'AUTH-BASIC' }: Pick<SignInOptions, 'level'>): (typeof signInLevels)[number] {
  if (signInLevels.includes(level)) return level;
  throw new InputError(`Unknown level ${level}. Use one of ${signInLevels.join(', ')}.`);
}

/**
 * Returns an access token of a client, without its secret.
 * @throws Error if the client does not exist, or its owner is locked or removed.
 */
export async function signInClient(context: AppContext, clientId: string): Promise<string> {
  const client = await requireActiveClient(context.store, clientId);
  return (await context.issuer.issue(await readClientContent(context, client))).accessToken;
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
