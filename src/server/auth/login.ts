/** Logs a user in with a password. Every failure has the same response and the same amount of work. */
import type { IamError } from '../../contract/errors.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import type { Clock } from '../lib/clock.ts';
import { isPasswordTooLong } from '../lib/password-length.ts';
import type { Random } from '../lib/random.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { HashFlow } from '../limits/hash-queue.ts';
import type { LoginAttempt } from '../limits/login-failures.ts';
import type { LoginThrottle } from '../limits/login-throttle.ts';
import { findDeviceByToken } from '../sessions/devices.ts';
import { callerKey } from '../sessions/known-sources.ts';
import { startLoginSession } from '../sessions/login-session.ts';
import type { SessionDeps, SessionOptions } from '../sessions/sessions.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Client, User } from '../store/tables.ts';
import { basicChallenge, createAuthenticationError } from '../tokens/authentication-error.ts';
import { readUserContent, type UserContent } from '../tokens/content.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import type { Passwords } from '../users/passwords.ts';
import { findUserByLogin, withNewHash } from '../users/users.ts';
import type { Authentication } from './authenticate.ts';
import type { BasicCredentials } from './credentials.ts';
import { createLoginAttempt } from './login-attempt.ts';

interface PasswordDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly storeSecret: StoreSecret;
  readonly passwords: Passwords;
  readonly hashFlow: HashFlow;
  readonly authentication: Authentication;
  readonly source: RequestSource;
}

export interface LoginDeps extends PasswordDeps {
  readonly settings: SessionDeps['settings'];
  readonly random: Random;
  readonly issuer: TokenIssuer;
}

export interface LoginOptions
  extends Pick<SessionOptions, 'remember' | 'renewable' | 'scope' | 'resources' | 'browser'> {
  /** A device token. A device of this user is bound to the session; the token of any other device is ignored. */
  readonly deviceTokenId?: string | undefined;
}

/** @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY. */
export async function loginWithPassword(
  deps: LoginDeps,
  credentials: BasicCredentials,
  client: Client,
  options: LoginOptions,
): Promise<TokenResponse> {
  return deps.issuer.issue(await startPasswordSession(deps, credentials, client, options));
}

/**
 * Starts a session of the user with this name and password.
 * @returns what its token says
 * @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY, TOKEN_TOO_LONG.
 */
export async function startPasswordSession(
  deps: LoginDeps,
  credentials: BasicCredentials,
  client: Client,
  { deviceTokenId, ...options }: LoginOptions,
): Promise<UserContent> {
  const { user: verifiedUser, attempt } = await verifyPassword(deps, credentials, deviceTokenId);
  const newHash = await rehashIfOutdated(deps, verifiedUser, credentials.secret);
  const content = await withVerifiedPassword(
    { deps, user: verifiedUser, secret: credentials.secret, createError: createInvalidCredentialsError },
    async (tx, current) => {
      const needsRehash = newHash !== undefined && current.passwordHash === verifiedUser.passwordHash;
      const user = needsRehash ? withNewHash(current, newHash) : current;
      if (needsRehash) await tx.users.replace(user);
      const device = deviceTokenId === undefined ? undefined : await findDeviceByToken(tx, user.userId, deviceTokenId);
      const start = {
        ...options,
        device,
        client,
        level: 'AUTH-BASIC',
      } as const;
      const started = await startLoginSession(tx, { ...start, user, callerKey: callerKey(deps.source, device) }, deps);
      return readUserContent(deps, { ...started, client });
    },
  );
  await deps.authentication.throttles.recordLogin(content.user, attempt.caller);
  return content;
}

/**
 * The user with this name and password. All operations with a name and a password share the failure counts.
 * @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY.
 */
async function verifyPassword(
  deps: PasswordDeps,
  { name, secret }: BasicCredentials,
  deviceTokenId: string | undefined,
) {
  const user = await findUserByLogin(deps.store, name);
  const device =
    deviceTokenId === undefined ? undefined : await findDeviceByToken(deps.store, user?.userId ?? '', deviceTokenId);
  const attempt = createLoginAttempt({ name: foldIdentifier(name), user, source: deps.source, device }, deps);
  const isCorrect = await checkPassword(deps, {
    throttle: deps.authentication.throttles.login,
    attempt,
    secret,
    userId: user?.userId,
    passwordHash: user?.passwordHash,
    isLocked: user?.locked ?? false,
  });
  if (!user) throw createInvalidCredentialsError().withReason({ text: 'No user has this login name.' });
  if (user.passwordHash === undefined)
    throw createInvalidCredentialsError().withReason({ text: 'The user has no password.', userId: user.userId });
  if (user.locked)
    throw createInvalidCredentialsError().withReason({ text: 'The user is locked.', userId: user.userId });
  if (!isCorrect)
    throw createInvalidCredentialsError().withReason({ text: 'The password does not match.', userId: user.userId });
  return { user, attempt };
}

/**
 * Whether the password is the current one of a signed-in user. Failures have separate counts: failed logins, which
 * anyone can cause, do not block it. @throws IamError TOO_MANY_ATTEMPTS, TOO_BUSY.
 */
export function isCurrentPassword(deps: PasswordDeps, user: User, secret: string): Promise<boolean> {
  return checkPassword(deps, {
    throttle: deps.authentication.throttles.currentPassword,
    attempt: createLoginAttempt({ name: user.userId, user, source: deps.source }, deps),
    secret,
    userId: user.userId,
    passwordHash: user.passwordHash,
  });
}

interface PasswordCheck {
  readonly throttle: LoginThrottle;
  readonly attempt: LoginAttempt;
  readonly secret: string;
  readonly userId: string | undefined;
  readonly passwordHash: string | undefined;
  /** For a locked user, the correct password counts as a failure; otherwise cleared failure counts would reveal it. */
  readonly isLocked?: boolean;
}

async function checkPassword(
  { passwords, hashFlow }: Pick<PasswordDeps, 'passwords' | 'hashFlow'>,
  { throttle, attempt, secret, userId, passwordHash, isLocked = false }: PasswordCheck,
): Promise<boolean> {
  const verify = async () => {
    if (isPasswordTooLong(secret)) return undefined;
    return ((await passwords.matches(secret, passwordHash, hashFlow, attempt.name)) && !isLocked) || undefined;
  };
  const isCorrect = await throttle.attempt(attempt, verify, { userId });
  return isCorrect ?? false;
}

interface VerifiedPassword {
  readonly deps: Pick<PasswordDeps, 'store' | 'passwords' | 'hashFlow'>;
  /** The user row that the password was verified with. */
  readonly user: User;
  readonly secret: string;
  readonly createError: () => IamError;
}

/**
 * Runs `work` in a transaction in which the user still exists, is not locked and has the verified password: a lock, a
 * removal or a new password in the meantime takes effect. If only the hash changed, the password is verified against it.
 * @throws IamError the error of `createError`, TOO_BUSY; any error of `work`.
 */
export async function withVerifiedPassword<Result>(
  { deps, user: verifiedUser, secret, createError }: VerifiedPassword,
  work: (tx: Transaction, current: User) => Promise<Result>,
): Promise<Result> {
  const outcome = await deps.store.transaction(async (tx) => {
    const current = await tx.users.get(verifiedUser.userId);
    if (!current || current.locked || current.passwordHash === undefined) throw createError();
    if (current.passwordHash !== verifiedUser.passwordHash) return { changed: current };
    return { result: await work(tx, current) };
  });
  if ('result' in outcome) return outcome.result as Result;
  if (!(await deps.passwords.matches(secret, outcome.changed.passwordHash, deps.hashFlow))) throw createError();
  return withVerifiedPassword({ deps, user: outcome.changed, secret, createError }, work);
}

/** A hash at the current cost if the verified one is cheaper. A failure here does not fail the login. */
async function rehashIfOutdated(
  { passwords, hashFlow }: LoginDeps,
  user: User,
  secret: string,
): Promise<string | undefined> {
  if (!passwords.isOutdated(user.passwordHash ?? '')) return undefined;
  return passwords.hash(secret, hashFlow).catch(() => undefined);
}

function createInvalidCredentialsError() {
  return createAuthenticationError('CREDENTIALS_INVALID', basicChallenge);
}
