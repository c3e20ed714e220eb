/** Mainframe logons: names, owners and logins. */
import { apiError } from '../../contract/errors.ts';
import type { BasicCredentials } from '../auth/credentials.ts';
import type { LoginDeps } from '../auth/login.ts';
import { createLoginAttempt } from '../auth/login-attempt.ts';
import type { Settings } from '../config/settings.ts';
import { type Contact, emailContact, maskContactOrDecoy, mobileContact } from '../messaging/contacts.ts';
import { revokeOtps, subjectOfLogon } from '../mfa/otp.ts';
import { endSessionsOfLogon } from '../sessions/end-sessions.ts';
import { startLoginSession } from '../sessions/login-session.ts';
import { type SessionOptions, startSession } from '../sessions/sessions.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Client, Session, User } from '../store/tables.ts';
import { basicChallenge, createAuthenticationError } from '../tokens/authentication-error.ts';
import {
  assertFits,
  type ContentDeps,
  createLogonContent,
  type LogonContent,
  readUserContent,
  type UserContent,
} from '../tokens/content.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import type { LogonContacts, Mainframe } from './mainframe.ts';

const maxLogonPasswordLength = 128;

/** Converts a logon name to upper case. Only ASCII letters are converted. */
export function normalizeLogon(name: string): string {
  return name.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

export function findLogonOwner(reader: Pick<Reader, 'users'>, logon: string): Promise<User | undefined> {
  return reader.users.getBy('legacyLogon', logon);
}

/**
 * Links a logon to a user. Ends its sessions and codes from the time when it had no owner.
 * @throws IamError LOGON_TAKEN.
 */
export async function bindLogon(tx: Transaction, user: User, logon: string): Promise<string[]> {
  if (await findLogonOwner(tx, logon)) throw apiError('LOGON_TAKEN');
  const legacyLogons = [...(user.legacyLogons ?? []), logon];
  await tx.users.replace({ ...user, legacyLogons });
  await revokeLogonAccess(tx, logon);
  return legacyLogons;
}

/** Ends the sessions that were started with a logon, and deletes its codes. */
export async function revokeLogonAccess(tx: Transaction, logon: string): Promise<void> {
  await endSessionsOfLogon(tx, logon);
  await revokeOtps(tx, subjectOfLogon(logon));
}

/** Checks the password rule of the mainframe (setting mainframe-password-rule). @throws IamError PASSWORD_NOT_FOR_MAINFRAME. */
export function assertMainframePassword(
  password: string,
  { mainframePasswordRule }: Pick<Settings, 'mainframePasswordRule'>,
): void {
  const isAccepted =
    password.length <= maxLogonPasswordLength && new RegExp(`^(?:${mainframePasswordRule})$`, 'u').test(password);
  if (!isAccepted) throw apiError('PASSWORD_NOT_FOR_MAINFRAME');
}

/** The contact that receives codes for a logon: its mobile, else its e-mail. */
export function selectRecoveryContact({ email, mobile }: LogonContacts): Contact | undefined {
  if (mobile !== undefined) return mobileContact(mobile);
  return email === undefined ? undefined : emailContact(email);
}

/**
 * The masked contact of a logon, or a decoy if it has none or does not exist. The channel of the decoy is derived from
 * the name, because existing logons have either channel.
 */
export function maskLogonContact(contact: Contact | undefined, logon: string, key: StoreSecret): string {
  const channel = key.digest('channel of a logon', logon) < '8' ? 'sms' : 'email';
  return maskContactOrDecoy(contact, { channel, identifier: logon }, key);
}

const formatCounterName = (logon: string) => `mainframe-password/${logon}`;

/** How often the password of a logon was changed here. A login that started before a change fails after it. */
async function readPasswordChangeCount(reader: Pick<Reader, 'counters'>, logon: string): Promise<number> {
  return (await reader.counters.get(formatCounterName(logon)))?.last ?? 0;
}

/** Counts a change of password, to invalidate logins in progress. */
export async function recordPasswordChange(tx: Transaction, logon: string): Promise<void> {
  const name = formatCounterName(logon);
  const counter = await tx.counters.get(name);
  if (counter) await tx.counters.replace({ name, last: counter.last + 1 });
  else await tx.counters.insert({ name, last: 1 });
}

export interface LogonDeps extends Omit<LoginDeps, 'passwords'> {
  readonly mainframe: Mainframe;
}

/**
 * Logs in the owner of a logon, or the logon alone if it has no owner. Failures are counted per logon, separately from
 * passwords of users.
 * @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY, MAINFRAME_UNAVAILABLE.
 */
export async function loginWithLogon(
  deps: LogonDeps,
  { name, secret }: BasicCredentials,
  client: Client,
  options: Pick<SessionOptions, 'remember' | 'renewable'>,
): Promise<TokenResponse> {
  const logon = normalizeLogon(name);
  const owner = await findLogonOwner(deps.store, logon);
  const changes = await readPasswordChangeCount(deps.store, logon);
  const { throttles } = deps.authentication;
  const attempt = createLoginAttempt({ name: logon, user: owner, source: deps.source }, deps);
  const isVerified = await throttles.logon.attempt(attempt, async () => {
    if ([...secret].length > maxLogonPasswordLength) return undefined;
    // For a locked user, the correct password counts as a failure; otherwise cleared failure counts would reveal it.
    return ((await deps.mainframe.verify(logon, secret, deps.hashFlow)) && !owner?.locked) || undefined;
  });
  if (!isVerified) throw createInvalidCredentialsError();
  const content = await deps.store.transaction(async (tx) => {
    const current = await findLogonOwner(tx, logon);
    // Check again: the owner may have been locked, removed or replaced, or the password changed, during verification.
    if (current?.locked || current?.userId !== owner?.userId) throw createInvalidCredentialsError();
    if ((await readPasswordChangeCount(tx, logon)) !== changes) throw createInvalidCredentialsError();
    const start = { ...options, client, logon, user: current };
    return readLogonContent(deps, await startLogonSession(tx, start, deps), client);
  });
  await throttles.logon.recordLogin([logon], attempt.caller);
  if (content.kind === 'user') await throttles.recordLogin(content.user, attempt.caller);
  return deps.issuer.issue(content);
}

export interface LogonSessionOptions extends Pick<SessionOptions, 'client' | 'remember' | 'renewable'> {
  readonly logon: string;
  /** The owner of the logon. */
  readonly user: User | undefined;
}

export type LogonSessionDeps = Pick<LoginDeps, 'clock' | 'random' | 'storeSecret' | 'source' | 'settings'>;

export interface LogonSession {
  readonly user: User | undefined;
  readonly logon: string;
  readonly session: Session;
  readonly refreshToken?: string;
}

/** Starts a session with a logon, for its owner or for the logon alone. */
export async function startLogonSession(
  tx: Transaction,
  { user, logon, ...options }: LogonSessionOptions,
  deps: LogonSessionDeps,
): Promise<LogonSession> {
  const start = { ...options, logon, level: 'AUTH-BASIC' } as const;
  if (user) return { logon, ...(await startLoginSession(tx, { ...start, user, callerKey: deps.source.key }, deps)) };
  return { user, logon, ...(await startSession(tx, start, deps)) };
}

/** What the token of this session says. Call it in the transaction that starts the session. */
export async function readLogonContent(
  deps: ContentDeps,
  { user, logon, ...started }: LogonSession,
  client: Client,
): Promise<UserContent | LogonContent> {
  return user
    ? readUserContent(deps, { ...started, user, client })
    : assertFits(createLogonContent(logon, { ...started, client }), deps);
}

function createInvalidCredentialsError() {
  return createAuthenticationError('CREDENTIALS_INVALID', basicChallenge);
}
