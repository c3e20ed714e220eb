/** Logging a user in by a password. Whatever is wrong, the answer and the work are the same. */
import type { IamError } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Random } from '../random.ts';
import type { Store, Transaction } from '../store/store.ts';
import { type Client, foldIdentifier, type User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import { type Authentication, basicChallenge, createAuthenticationError } from './authenticate.ts';
import type { BasicCredentials } from './credentials.ts';
import { findDeviceByToken } from './devices.ts';
import { withReason } from './error-reasons.ts';
import type { HashLane } from './hash-queue.ts';
import { callerKey } from './known-sources.ts';
import { startLoginSession } from './login-session.ts';
import type { LoginAttempt, LoginThrottle } from './login-throttle.ts';
import { isPasswordTooLong } from './password-policy.ts';
import type { Passwords } from './passwords.ts';
import type { SessionOptions } from './sessions.ts';
import type { StoreSecret } from './store-secret.ts';
import { createLoginAttempt } from './throttles.ts';
import { findUserByLogin } from './user-roles.ts';

/** What proving a password needs of a call's context. */
interface PasswordDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly storeSecret: StoreSecret;
  readonly passwords: Passwords;
  readonly hashLane: HashLane;
  readonly authentication: Authentication;
  readonly source: RequestSource;
}

/** What logging in needs of a call's context. */
export interface LoginDeps extends PasswordDeps {
  readonly random: Random;
  readonly issuer: TokenIssuer;
}

export interface LoginOptions extends Pick<SessionOptions, 'remember' | 'renewable' | 'scope'> {
  /** What a device shows. One of this user is bound to the session; any other is as if none were shown. */
  readonly deviceTokenId?: string | undefined;
}

/** @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY. */
export async function loginWithPassword(
  deps: LoginDeps,
  credentials: BasicCredentials,
  client: Client,
  { deviceTokenId, ...options }: LoginOptions,
): Promise<TokenResponse> {
  const { user: verifiedUser, attempt } = await verifyPassword(deps, credentials, deviceTokenId);
  const newHash = await rehashIfOutdated(deps, verifiedUser, credentials.secret);
  const loginSession = await withVerifiedPassword(
    { deps, user: verifiedUser, secret: credentials.secret, createError: createInvalidCredentialsError },
    async (tx, current) => {
      const needsRehash = newHash !== undefined && current.passwordHash === verifiedUser.passwordHash;
      const user = needsRehash ? { ...current, passwordHash: newHash } : current;
      if (needsRehash) await tx.users.replace(user);
      const device = deviceTokenId === undefined ? undefined : await findDeviceByToken(tx, user.userId, deviceTokenId);
      const start = {
        ...options,
        deviceKey: device?.deviceKey,
        clientId: client.clientId,
        level: 'AUTH-BASIC',
      } as const;
      return startLoginSession(tx, { ...start, user, callerKey: callerKey(deps.source, device) }, deps);
    },
  );
  deps.authentication.throttles.recordLogin(loginSession.user, attempt.caller);
  return deps.issuer.issueForUser(loginSession.user, loginSession.session, client, {
    refreshToken: loginSession.refreshToken,
  });
}

/**
 * The user whom name and password belong to. All operations that take a name and a password count together.
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
  const isRight = await checkPassword(deps, {
    throttle: deps.authentication.throttles.login,
    attempt,
    secret,
    passwordHash: user?.passwordHash,
    isLocked: user?.locked ?? false,
  });
  if (!user) throw withReason(createInvalidCredentialsError(), { text: 'No user logs in with this name.' });
  if (user.passwordHash === undefined)
    throw withReason(createInvalidCredentialsError(), { text: 'The user has no password.', user });
  if (user.locked) throw withReason(createInvalidCredentialsError(), { text: 'The user is locked.', user });
  if (!isRight)
    throw withReason(createInvalidCredentialsError(), { text: 'The password is not that of the user.', user });
  return { user, attempt };
}

/**
 * Whether a signed-in user gave its current password. Wrong ones count for themselves: failed logins, which anyone can
 * bring about, do not stand in the way. @throws IamError TOO_MANY_ATTEMPTS, TOO_BUSY.
 */
export function isCurrentPassword(deps: PasswordDeps, user: User, secret: string): Promise<boolean> {
  return checkPassword(deps, {
    throttle: deps.authentication.throttles.currentPassword,
    attempt: createLoginAttempt({ name: user.userId, user, source: deps.source }, deps),
    secret,
    passwordHash: user.passwordHash,
  });
}

interface PasswordCheck {
  readonly throttle: LoginThrottle;
  readonly attempt: LoginAttempt;
  readonly secret: string;
  readonly passwordHash: string | undefined;
  /** The right password then counts as a wrong one: it would show by the failures that it clears. */
  readonly isLocked?: boolean;
}

async function checkPassword(
  { passwords, hashLane }: Pick<PasswordDeps, 'passwords' | 'hashLane'>,
  { throttle, attempt, secret, passwordHash, isLocked = false }: PasswordCheck,
): Promise<boolean> {
  const isRight = await throttle.attempt(attempt, async () => {
    if (isPasswordTooLong(secret)) return undefined;
    return ((await passwords.matches(secret, passwordHash, hashLane)) && !isLocked) || undefined;
  });
  return isRight ?? false;
}

interface VerifiedPassword {
  readonly deps: Pick<PasswordDeps, 'store' | 'passwords' | 'hashLane'>;
  /** The user as it was when its password was found right. */
  readonly user: User;
  readonly secret: string;
  readonly createError: () => IamError;
}

/**
 * Runs `work` in a transaction in which the user still is there, not locked, and has the password that was proven: a
 * lock, a removal and a new password meanwhile count. Another hash of the same password does not, so it is looked at.
 * @throws IamError what `refused` gives, TOO_BUSY; whatever `work` throws.
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
  if (!(await deps.passwords.matches(secret, outcome.changed.passwordHash, deps.hashLane))) throw createError();
  return withVerifiedPassword({ deps, user: outcome.changed, secret, createError }, work);
}

/** A hash at the cost that new ones have, where the one that was proven costs less; no login fails over it. */
async function rehashIfOutdated(
  { passwords, hashLane }: LoginDeps,
  user: User,
  secret: string,
): Promise<string | undefined> {
  if (!passwords.isOutdated(user.passwordHash ?? '')) return undefined;
  return passwords.hash(secret, hashLane).catch(() => undefined);
}

function createInvalidCredentialsError() {
  return createAuthenticationError('CREDENTIALS_INVALID', basicChallenge);
}
