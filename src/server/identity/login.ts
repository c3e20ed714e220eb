/** Logging a user in by a password. Whatever is wrong, the answer and the work are the same. */
import type { IamError } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Randomness } from '../randomness.ts';
import type { Store, Transaction } from '../store/store.ts';
import { type Client, foldIdentifier, type User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import { type Authentication, basicChallenge, unauthenticated } from './authenticate.ts';
import type { Pair } from './credentials.ts';
import { deviceOf } from './devices.ts';
import type { HashLane } from './hash-queue.ts';
import { callerKey } from './known-sources.ts';
import { startLoginSession } from './login-session.ts';
import type { LoginAttempt, LoginThrottle } from './login-throttle.ts';
import { isTooLong } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import { because } from './reasons.ts';
import type { SessionStart } from './sessions.ts';
import type { StoreKey } from './store-key.ts';
import { attemptOf } from './throttles.ts';
import { findByLogin } from './users.ts';

/** What proving a password needs of a call's context. */
interface ProofTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly storeKey: StoreKey;
  readonly passwords: Passwords;
  readonly hashLane: HashLane;
  readonly authentication: Authentication;
  readonly source: RequestSource;
}

/** What logging in needs of a call's context. */
export interface LoginTools extends ProofTools {
  readonly randomness: Randomness;
  readonly issuer: TokenIssuer;
}

export interface LoginWishes extends Pick<SessionStart, 'remember' | 'renewable' | 'scope'> {
  /** What a device shows. One of this user is bound to the session; any other is as if none were shown. */
  readonly deviceTokenId?: string | undefined;
}

/** @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY. */
export async function loginWithPassword(
  tools: LoginTools,
  pair: Pair,
  client: Client,
  { deviceTokenId, ...wishes }: LoginWishes,
): Promise<TokenResponse> {
  const { user: proven, attempt } = await proveByPassword(tools, pair, deviceTokenId);
  const stronger = await strongerHash(tools, proven, pair.secret);
  const started = await whileProven({ tools, proven, secret: pair.secret, refused }, async (tx, current) => {
    const isStronger = stronger !== undefined && current.passwordHash === proven.passwordHash;
    const user = isStronger ? { ...current, passwordHash: stronger } : current;
    if (isStronger) await tx.users.replace(user);
    const device = deviceTokenId === undefined ? undefined : await deviceOf(tx, user.userId, deviceTokenId);
    const start = { ...wishes, deviceKey: device?.deviceKey, clientId: client.clientId, level: 'AUTH-BASIC' } as const;
    return startLoginSession(tx, { ...start, user, callerKey: callerKey(tools.source, device) }, tools);
  });
  tools.authentication.throttles.loggedIn(started.user, attempt.caller);
  return tools.issuer.forUser(started.user, started.session, client, { refreshToken: started.refreshToken });
}

/**
 * The user whom name and password belong to. All operations that take a name and a password count together.
 * @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY.
 */
async function proveByPassword(tools: ProofTools, { name, secret }: Pair, deviceTokenId: string | undefined) {
  const user = await findByLogin(tools.store, name);
  const device =
    deviceTokenId === undefined ? undefined : await deviceOf(tools.store, user?.userId ?? '', deviceTokenId);
  const attempt = attemptOf({ name: foldIdentifier(name), user, source: tools.source, device }, tools);
  const right = await isRightPassword(tools, {
    throttle: tools.authentication.throttles.login,
    attempt,
    secret,
    passwordHash: user?.passwordHash,
    isLocked: user?.locked ?? false,
  });
  if (!user) throw because(refused(), { text: 'No user logs in with this name.' });
  if (user.passwordHash === undefined) throw because(refused(), { text: 'The user has no password.', user });
  if (user.locked) throw because(refused(), { text: 'The user is locked.', user });
  if (!right) throw because(refused(), { text: 'The password is not that of the user.', user });
  return { user, attempt };
}

/**
 * Whether a signed-in user gave its current password. Wrong ones count for themselves: failed logins, which anyone can
 * bring about, do not stand in the way. @throws IamError TOO_MANY_ATTEMPTS, TOO_BUSY.
 */
export function isPasswordOf(tools: ProofTools, user: User, secret: string): Promise<boolean> {
  return isRightPassword(tools, {
    throttle: tools.authentication.throttles.currentPassword,
    attempt: attemptOf({ name: user.userId, user, source: tools.source }, tools),
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

async function isRightPassword(
  { passwords, hashLane }: Pick<ProofTools, 'passwords' | 'hashLane'>,
  { throttle, attempt, secret, passwordHash, isLocked = false }: PasswordCheck,
): Promise<boolean> {
  const right = await throttle.attempt(attempt, async () => {
    if (isTooLong(secret)) return undefined;
    return ((await passwords.matches(secret, passwordHash, hashLane)) && !isLocked) || undefined;
  });
  return right ?? false;
}

interface ProvenPassword {
  readonly tools: Pick<ProofTools, 'store' | 'passwords' | 'hashLane'>;
  /** The user as it was when its password was found right. */
  readonly proven: User;
  readonly secret: string;
  readonly refused: () => IamError;
}

/**
 * Runs `work` in a transaction in which the user still is there, not locked, and has the password that was proven: a
 * lock, a removal and a new password meanwhile count. Another hash of the same password does not, so it is looked at.
 * @throws IamError what `refused` gives, TOO_BUSY; whatever `work` throws.
 */
export async function whileProven<Result>(
  { tools, proven, secret, refused: refusal }: ProvenPassword,
  work: (tx: Transaction, current: User) => Promise<Result>,
): Promise<Result> {
  const seen = await tools.store.transaction(async (tx) => {
    const current = await tx.users.get(proven.userId);
    if (!current || current.locked || current.passwordHash === undefined) throw refusal();
    if (current.passwordHash !== proven.passwordHash) return { changed: current };
    return { result: await work(tx, current) };
  });
  if ('result' in seen) return seen.result as Result;
  if (!(await tools.passwords.matches(secret, seen.changed.passwordHash, tools.hashLane))) throw refusal();
  return whileProven({ tools, proven: seen.changed, secret, refused: refusal }, work);
}

/** A hash at the cost that new ones have, where the one that was proven costs less; no login fails over it. */
async function strongerHash(
  { passwords, hashLane }: LoginTools,
  user: User,
  secret: string,
): Promise<string | undefined> {
  if (!passwords.isOutdated(user.passwordHash ?? '')) return undefined;
  return passwords.hash(secret, hashLane).catch(() => undefined);
}

function refused() {
  return unauthenticated('CREDENTIALS_INVALID', basicChallenge);
}
