/** Mainframe logons: their names, who they belong to, and logging in with one. */
import { apiError } from '../../contract/errors.ts';
import type { LogonContacts, Mainframe } from '../integrations/mainframe.ts';
import type { Settings } from '../settings.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client, Session, User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import { basicChallenge, createAuthenticationError } from './authenticate.ts';
import { type Contact, createDecoyMaskedContact, emailContact, maskContact, mobileContact } from './contacts.ts';
import type { BasicCredentials } from './credentials.ts';
import type { LoginDeps } from './login.ts';
import { startLoginSession } from './login-session.ts';
import { revokeOtps, subjectOfLogon } from './otp.ts';
import { endSessionsOfLogon, type SessionOptions, startSession } from './sessions.ts';
import type { StoreSecret } from './store-secret.ts';
import { createLoginAttempt } from './throttles.ts';

const maxLogonPasswordLength = 128;

/** Logon names are upper-case; what is given may be lower-case. Letters beyond ASCII fold to nothing. */
export function normalizeLogon(name: string): string {
  return name.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** The user whom a logon belongs to. */
export function findLogonOwner(reader: Pick<Reader, 'users'>, logon: string): Promise<User | undefined> {
  return reader.users.getBy('legacyLogon', logon);
}

/**
 * Makes a logon a user's own. What was begun with it while it was nobody's is over.
 * @throws IamError LOGON_TAKEN.
 */
export async function bindLogon(tx: Transaction, user: User, logon: string): Promise<string[]> {
  if (await findLogonOwner(tx, logon)) throw apiError('LOGON_TAKEN');
  const legacyLogons = [...(user.legacyLogons ?? []), logon];
  await tx.users.replace({ ...user, legacyLogons });
  await revokeLogonAccess(tx, logon);
  return legacyLogons;
}

/** Ends the sessions that began with a logon, and voids the codes that were sent for it. */
export async function revokeLogonAccess(tx: Transaction, logon: string): Promise<void> {
  await endSessionsOfLogon(tx, logon);
  await revokeOtps(tx, subjectOfLogon(logon));
}

/** The rule of the mainframe, as the setting has it. @throws IamError PASSWORD_NOT_FOR_MAINFRAME. */
export function assertMainframePassword(
  password: string,
  { mainframePasswordRule }: Pick<Settings, 'mainframePasswordRule'>,
): void {
  const fits =
    password.length <= maxLogonPasswordLength && new RegExp(`^(?:${mainframePasswordRule})$`, 'u').test(password);
  if (!fits) throw apiError('PASSWORD_NOT_FOR_MAINFRAME');
}

/** Where a code for a logon goes: to its mobile, else to its e-mail. */
export function selectRecoveryContact({ email, mobile }: LogonContacts): Contact | undefined {
  if (mobile !== undefined) return mobileContact(mobile);
  return email === undefined ? undefined : emailContact(email);
}

/**
 * How the contact of a logon is shown, or what is shown for one that has none or is not there: then one kind of contact
 * or the other, as the name has it, since those that are there have either.
 */
export function maskLogonContact(contact: Contact | undefined, logon: string, key: StoreSecret): string {
  const channel = key.digest('channel of a logon', logon) < '8' ? 'sms' : 'email';
  // Worked out in either case, so that it takes as long.
  const decoy = createDecoyMaskedContact(channel, logon, key);
  return contact ? maskContact(contact) : decoy;
}

const formatCounterName = (logon: string) => `mainframe-password/${logon}`;

/** How often the password of a logon was changed here: a login that began before such a change does not go on after it. */
export async function readPasswordChangeCount(reader: Pick<Reader, 'counters'>, logon: string): Promise<number> {
  return (await reader.counters.get(formatCounterName(logon)))?.last ?? 0;
}

/** Counts a change of password, for the logins under way. */
export async function recordPasswordChange(tx: Transaction, logon: string): Promise<void> {
  const name = formatCounterName(logon);
  const counter = await tx.counters.get(name);
  if (counter) await tx.counters.replace({ name, last: counter.last + 1 });
  else await tx.counters.insert({ name, last: 1 });
}

/** What logging in with a logon needs of a call's context. */
export interface LogonDeps extends Omit<LoginDeps, 'passwords'> {
  readonly mainframe: Mainframe;
}

/**
 * Logs in whoever a logon belongs to, or the logon alone where it is nobody's. Failures count for
 * the logon, in a table of their own.
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
    // That of a locked user counts as a wrong one: it would show by the failures that it clears.
    return ((await deps.mainframe.verify(logon, secret, deps.hashLane)) && !owner?.locked) || undefined;
  });
  if (!isVerified) throw createInvalidCredentialsError();
  const logonSession = await deps.store.transaction(async (tx) => {
    const current = await findLogonOwner(tx, logon);
    // What happened while the mainframe looked counts: a lock, a removal, another owner, a new password.
    if (current?.locked || current?.userId !== owner?.userId) throw createInvalidCredentialsError();
    if ((await readPasswordChangeCount(tx, logon)) !== changes) throw createInvalidCredentialsError();
    return startLogonSession(tx, { ...options, clientId: client.clientId, logon, user: current }, deps);
  });
  throttles.logon.recordLogin([logon], attempt.caller);
  if (logonSession.user) throttles.recordLogin(logonSession.user, attempt.caller);
  return issueLogonToken(deps.issuer, logonSession, client);
}

export interface LogonSessionOptions extends Pick<SessionOptions, 'clientId' | 'remember' | 'renewable'> {
  readonly logon: string;
  /** Whom the logon belongs to. */
  readonly user: User | undefined;
}

export type LogonSessionDeps = Pick<LoginDeps, 'clock' | 'random' | 'storeSecret' | 'source'>;

export interface LogonSession {
  readonly user: User | undefined;
  readonly logon: string;
  readonly session: Session;
  readonly refreshToken?: string;
}

/** A session that begins with a logon: that of its user, or of the logon alone. */
export async function startLogonSession(
  tx: Transaction,
  { user, logon, ...options }: LogonSessionOptions,
  deps: LogonSessionDeps,
): Promise<LogonSession> {
  const start = { ...options, logon, level: 'AUTH-BASIC' } as const;
  if (user) return { logon, ...(await startLoginSession(tx, { ...start, user, callerKey: deps.source.key }, deps)) };
  return { user, logon, ...(await startSession(tx, start, deps)) };
}

/** The token response for such a session. */
export function issueLogonToken(
  issuer: TokenIssuer,
  { user, logon, session, refreshToken }: LogonSession,
  client: Client,
): Promise<TokenResponse> {
  return user
    ? issuer.issueForUser(user, session, client, { refreshToken })
    : issuer.issueForLogon(logon, session, client, { refreshToken });
}

function createInvalidCredentialsError() {
  return createAuthenticationError('CREDENTIALS_INVALID', basicChallenge);
}
