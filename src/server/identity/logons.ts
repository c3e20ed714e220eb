/** Mainframe logons: their names, who they belong to, and logging in with one. */
import { fault } from '../../contract/errors.ts';
import type { LogonContacts, Mainframe } from '../ports/mainframe.ts';
import type { Settings } from '../settings.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Client, Session, User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import { basicChallenge, unauthenticated } from './authenticate.ts';
import { type Contact, emailContact, masked, maskedOfNobody, mobileContact } from './contacts.ts';
import type { Pair } from './credentials.ts';
import type { LoginTools } from './login.ts';
import { startLoginSession } from './login-session.ts';
import { subjectOfLogon, voidCodes } from './otp.ts';
import { endSessionsOfLogon, type SessionStart, startSession } from './sessions.ts';
import type { StoreKey } from './store-key.ts';
import { attemptOf } from './throttles.ts';

const longestPassword = 128;

/** Logon names are upper-case; what is given may be lower-case. Letters beyond ASCII fold to nothing. */
export function foldLogon(given: string): string {
  return given.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** The user whom a logon belongs to. */
export function ownerOfLogon(reader: Pick<Reader, 'users'>, logon: string): Promise<User | undefined> {
  return reader.users.getBy('legacyLogon', logon);
}

/**
 * Makes a logon a user's own. What was begun with it while it was nobody's is over.
 * @throws IamError LOGON_TAKEN.
 */
export async function bindLogon(tx: Transaction, user: User, logon: string): Promise<string[]> {
  if (await ownerOfLogon(tx, logon)) throw fault('LOGON_TAKEN');
  const legacyLogons = [...(user.legacyLogons ?? []), logon];
  await tx.users.replace({ ...user, legacyLogons });
  await forgetLogon(tx, logon);
  return legacyLogons;
}

/** Ends the sessions that began with a logon, and voids the codes that were sent for it. */
export async function forgetLogon(tx: Transaction, logon: string): Promise<void> {
  await endSessionsOfLogon(tx, logon);
  await voidCodes(tx, subjectOfLogon(logon));
}

/** The rule of the mainframe, as the setting has it. @throws IamError PASSWORD_NOT_FOR_MAINFRAME. */
export function requireMainframePassword(
  password: string,
  { mainframePasswordRule }: Pick<Settings, 'mainframePasswordRule'>,
): void {
  const fits = password.length <= longestPassword && new RegExp(`^(?:${mainframePasswordRule})$`, 'u').test(password);
  if (!fits) throw fault('PASSWORD_NOT_FOR_MAINFRAME');
}

/** Where a code for a logon goes: to its mobile, else to its e-mail. */
export function recoveryContact({ email, mobile }: LogonContacts): Contact | undefined {
  if (mobile !== undefined) return mobileContact(mobile);
  return email === undefined ? undefined : emailContact(email);
}

/**
 * How the contact of a logon is shown, or what is shown for one that has none or is not there: then one kind of contact
 * or the other, as the name has it, since those that are there have either.
 */
export function maskedContact(contact: Contact | undefined, logon: string, key: StoreKey): string {
  const channel = key.digest('channel of a logon', logon) < '8' ? 'sms' : 'email';
  // Worked out in either case, so that it takes as long.
  const ofNobody = maskedOfNobody(channel, logon, key);
  return contact ? masked(contact) : ofNobody;
}

const changesName = (logon: string) => `mainframe-password/${logon}`;

/** How often the password of a logon was changed here: a login that began before such a change does not go on after it. */
export async function passwordChanges(reader: Pick<Reader, 'counters'>, logon: string): Promise<number> {
  return (await reader.counters.get(changesName(logon)))?.last ?? 0;
}

/** Counts a change of password, for the logins under way. */
export async function notePasswordChange(tx: Transaction, logon: string): Promise<void> {
  const name = changesName(logon);
  const counter = await tx.counters.get(name);
  if (counter) await tx.counters.replace({ name, last: counter.last + 1 });
  else await tx.counters.insert({ name, last: 1 });
}

/** What logging in with a logon needs of a call's context. */
export interface LogonTools extends Omit<LoginTools, 'passwords'> {
  readonly mainframe: Mainframe;
}

/**
 * Logs in whoever a logon belongs to, or the logon alone where it is nobody's. Failures count for
 * the logon, in a table of their own.
 * @throws IamError CREDENTIALS_INVALID, TOO_MANY_ATTEMPTS, TOO_BUSY, MAINFRAME_UNAVAILABLE.
 */
export async function loginWithLogon(
  tools: LogonTools,
  { name, secret }: Pair,
  client: Client,
  wishes: Pick<SessionStart, 'remember' | 'renewable'>,
): Promise<TokenResponse> {
  const logon = foldLogon(name);
  const owner = await ownerOfLogon(tools.store, logon);
  const changes = await passwordChanges(tools.store, logon);
  const { throttles } = tools.authentication;
  const attempt = attemptOf({ name: logon, user: owner, source: tools.source }, tools);
  const proven = await throttles.logon.attempt(attempt, async () => {
    if ([...secret].length > longestPassword) return undefined;
    // That of a locked user counts as a wrong one: it would show by the failures that it clears.
    return ((await tools.mainframe.verify(logon, secret, tools.hashLane)) && !owner?.locked) || undefined;
  });
  if (!proven) throw refused();
  const started = await tools.store.transaction(async (tx) => {
    const current = await ownerOfLogon(tx, logon);
    // What happened while the mainframe looked counts: a lock, a removal, another owner, a new password.
    if (current?.locked || current?.userId !== owner?.userId) throw refused();
    if ((await passwordChanges(tx, logon)) !== changes) throw refused();
    return startLogonSession(tx, { ...wishes, clientId: client.clientId, logon, user: current }, tools);
  });
  throttles.logon.loggedIn([logon], attempt.caller);
  if (started.user) throttles.loggedIn(started.user, attempt.caller);
  return tokenOfLogon(tools.issuer, started, client);
}

export interface LogonStart extends Pick<SessionStart, 'clientId' | 'remember' | 'renewable'> {
  readonly logon: string;
  /** Whom the logon belongs to. */
  readonly user: User | undefined;
}

export type LogonSessionTools = Pick<LoginTools, 'clock' | 'randomness' | 'storeKey' | 'source'>;

export interface LogonSession {
  readonly user: User | undefined;
  readonly logon: string;
  readonly session: Session;
  readonly refreshToken?: string;
}

/** A session that begins with a logon: that of its user, or of the logon alone. */
export async function startLogonSession(
  tx: Transaction,
  { user, logon, ...wishes }: LogonStart,
  tools: LogonSessionTools,
): Promise<LogonSession> {
  const start = { ...wishes, logon, level: 'AUTH-BASIC' } as const;
  if (user) return { logon, ...(await startLoginSession(tx, { ...start, user, callerKey: tools.source.key }, tools)) };
  return { user, logon, ...(await startSession(tx, start, tools)) };
}

/** The token response for such a session. */
export function tokenOfLogon(
  issuer: TokenIssuer,
  { user, logon, session, refreshToken }: LogonSession,
  client: Client,
): Promise<TokenResponse> {
  return user
    ? issuer.forUser(user, session, client, { refreshToken })
    : issuer.forLogon(logon, session, client, { refreshToken });
}

function refused() {
  return unauthenticated('CREDENTIALS_INVALID', basicChallenge);
}
