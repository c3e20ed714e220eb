/**
 * One-time codes (OTP): six digits, valid for ten minutes and one use, bound to subject, purpose and transaction, stored
 * as a keyed hash. Each requesting source gets a separate code, so that it cannot invalidate codes of other sources; up
 * to four are live.
 */
import { apiError, type IamError, retryLater } from '../../contract/errors.ts';
import { otpLifetimeSeconds } from '../../contract/otp-lifetime.ts';
import { epochSeconds } from '../lib/clock.ts';
import { type Contact, contactKey } from '../messaging/contacts.ts';
import { enqueueMessage, storeCodeUse } from '../messaging/messages.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Transaction } from '../store/store.ts';
import type { Otp } from '../store/tables.ts';
import {
  checkOtpAccess,
  clearFailedAttempts,
  findGroupWait,
  formatAttemptsKey,
  type OtpAccess,
  recordFailedAttempt,
  recordGroupAttempt,
} from './otp-attempts.ts';
import { consumeOtpRateLimit } from './otp-rate-limit.ts';
import { findOtpReplacement, isLive, isSameRequest, listOtps, maxStoredOtps } from './otp-replacement.ts';
import type { OtpSource } from './otp-source.ts';
import { createOtpCode, hashOtp, type OtpDeps, otpMatches } from './otp-value.ts';
import { sourceDigest } from './source-events.ts';

export type OtpPurpose = 'sign-up' | 'recovery' | 'mfa' | 'factor' | 'legacy-association' | 'legacy-recovery';

/** What a message to a decoy contains in place of the code, which may be valid for a real contact. */
const decoyCode = '000000';

/** What a code is bound to. Create subjects with the functions below. */
export interface OtpBinding {
  readonly purpose: OtpPurpose;
  readonly subject: string;
  /** Distinguishes several codes of a subject: a session, or a session and a factor. */
  readonly target?: string | undefined;
}

export const subjectOfUser = (userId: string) => `user:${userId}`;
export const subjectOfContact = (contact: Contact) => `contact:${contactKey(contact)}`;
export const subjectOfLogon = (logon: string) => `logon:${logon}`;
/** A name that belongs to no user; its attempts count like those of a user. */
export const subjectOfUnknownName = (name: string) => `unknown:${name}`;

export interface OtpTransaction {
  /** The id of the transaction: a challenge id. */
  readonly codeId: string;
  readonly expiresAt: number;
  /** Seconds, as a string of digits. */
  readonly expiresIn: string;
}

export interface OtpRequest extends OtpBinding {
  readonly contacts: readonly Contact[];
  /**
   * Hides the number of contacts: one decoy for each possible contact. Decoys beyond the real contacts, and contacts whose
   * limit is reached, cause the same work, including a message, which is never shown or sent.
   */
  readonly decoys?: readonly Contact[];
  readonly source: OtpSource;
  /** The name that the limit of a contact counts by; by default that of the contact itself. */
  readonly formatLimit?: (contact: Contact) => string;
  /** If the code cannot be sent, returns the same response as if it were sent. */
  readonly quiet?: boolean;
  /** Stored with the code, for the operation that consumes it. */
  readonly about?: string | undefined;
}

/**
 * Sends a new code to contacts. It replaces the previous code for the same target and source. Part of a transaction; call
 * `outbox.wake()` after it.
 * @throws IamError TOO_MANY_CODES with Retry-After, unless `quiet`.
 */
export async function sendOtp(tx: Transaction, request: OtpRequest, deps: OtpDeps): Promise<OtpTransaction> {
  const {
    purpose,
    subject,
    target,
    contacts,
    decoys = [],
    source,
    about,
    quiet = false,
    formatLimit = contactKey,
  } = request;
  const recipients = [...contacts, ...decoys.slice(contacts.length)];
  const reached: Contact[] = [];
  for (const contact of recipients)
    if (await consumeOtpRateLimit(tx, formatLimit(contact), deps, { source, quiet })) reached.push(contact);
  const real = contacts.filter((contact) => reached.includes(contact));
  const now = epochSeconds(deps.clock);
  const codes = await listOtps(tx, request);
  const requester = {
    target,
    source: sourceDigest(formatAttemptsKey(request, deps.storeSecret), source.key, deps.storeSecret),
    known: source.isKnown,
    knownByMfa: source.isKnownByMfa === true,
  };
  const replacement = findOtpReplacement(codes, requester, now);
  if (!replacement.isAllowed) {
    if (quiet) return createDecoyOtpTransaction(deps);
    throw retryLater('TOO_MANY_CODES', replacement.allowedAt - now);
  }
  // A code that reaches no contact is stored as well: later responses would show that there is none, and so that the user
  // exists. It must not void the previous one of the requester, which is stored once more instead.
  const isUndelivered = contacts.length > 0 && real.length === 0;
  const kept = isUndelivered ? codes.find((row) => isLive(row, now) && isSameRequest(row, requester)) : undefined;
  for (const { codeId } of replacement.removed) await tx.codes.delete(codeId);
  const code = createOtpCode(real, reached, deps);
  const codeId = deps.random.uuid();
  await clearExpired(tx.codes, (row) => row.codeId, now, codeId);
  const expiresAt = now + otpLifetimeSeconds;
  const text = `${purpose === 'mfa' ? 'Your sign-in code' : 'Your code'} is {code}. It expires in ten minutes. Do not share it.`;
  const voids = kept ? undefined : replacement.voids;
  const messageIds: string[] = [];
  for (const contact of recipients) {
    const isDecoy = !real.includes(contact);
    const sentCode = { codeId, code: isDecoy ? decoyCode : code, expiresAt, voids };
    messageIds.push(...(await enqueueMessage(tx, { contact, purpose, text, code: sentCode, isDecoy }, deps)));
  }
  await tx.codes.insert(
    kept ?? {
      purpose,
      subject,
      ...(target === undefined ? {} : { target }),
      ...(about === undefined ? {} : { about }),
      source: requester.source,
      known: requester.known,
      ...(requester.knownByMfa ? { knownByMfa: true } : {}),
      sequence: (codes.at(-1)?.sequence ?? 0) + 1,
      codeId,
      codeHash: hashOtp(codeId, code, deps),
      messageIds,
      used: false,
      createdAt: now,
      expiresAt,
    },
  );
  return { codeId, expiresAt, expiresIn: String(otpLifetimeSeconds) };
}

/** The response if no code could be sent: the same as if one had been sent. */
export function createDecoyOtpTransaction({ clock, random }: Pick<OtpDeps, 'clock' | 'random'>): OtpTransaction {
  return {
    codeId: random.uuid(),
    expiresAt: epochSeconds(clock) + otpLifetimeSeconds,
    expiresIn: String(otpLifetimeSeconds),
  };
}

export interface OtpCheck extends OtpBinding {
  /** The id of the code transaction, if the request contains one. */
  readonly codeId?: string | undefined;
  readonly code: string;
  readonly source: OtpSource;
  /**
   * The typed login name, as a subject. Attempts then count by name too, and only that limit is reported: responses for
   * one name do not reveal attempts under another name of the same user.
   */
  readonly loginSubject?: string | undefined;
  /** The error for a wrong code; default CODE_INVALID. */
  readonly createError?: () => IamError;
}

/**
 * Consumes a valid code in the same transaction as the work of `onValid`, so that only one of several parallel uses
 * succeeds. If `onValid` throws, the code remains valid and the transaction is rolled back.
 * @throws IamError CODE_INVALID (or the error of `createError`) if the code is wrong, used, expired or has another
 *   binding; CODE_FAILURES with Retry-After after too many wrong codes; any error of `onValid`.
 */
export function consumeOtp<Result>(
  check: OtpCheck,
  deps: OtpDeps,
  onValid: (tx: Transaction, code: Otp) => Promise<Result>,
): Promise<Result> {
  return consumeFirstMatchingOtp([check], deps, onValid);
}

/**
 * Like `consumeOtp`, for a code with any of these bindings: it counts as wrong for each binding that it is compared with
 * before one matches. These counts are committed before the use of the code, which may fail.
 */
export async function consumeFirstMatchingOtp<Result>(
  checks: readonly [OtpCheck, ...OtpCheck[]],
  deps: OtpDeps,
  onValid: (tx: Transaction, code: Otp) => Promise<Result>,
): Promise<Result> {
  const check = checks.length === 1 ? checks[0] : await findMatchingCheck(checks, deps);
  const consumed = await deps.store.transaction(async (tx) => {
    const outcome = await checkOtps(tx, [check], deps);
    if (outcome.kind !== 'valid') return outcome;
    const result = await onValid(tx, outcome.row);
    await markOtpUsed(tx, outcome.row);
    await storeCodeUse(tx, outcome.row, true);
    return { kind: 'consumed', result } as const;
  });
  if (consumed.kind === 'consumed') return consumed.result;
  throw createOtpError(consumed, checks[0]);
}

/** Like `consumeOtp`, but does not consume a valid code, for checks before its use. */
export async function verifyOtp(check: OtpCheck, deps: OtpDeps): Promise<void> {
  await findMatchingCheck([check], deps);
}

async function findMatchingCheck(checks: readonly [OtpCheck, ...OtpCheck[]], deps: OtpDeps): Promise<OtpCheck> {
  const outcome = await deps.store.transaction((tx) => checkOtps(tx, checks, deps));
  if (outcome.kind !== 'valid') throw createOtpError(outcome, checks[0]);
  return outcome.check;
}

/** Makes a used code valid again if the operation that used it failed, unless another code has replaced it. */
export async function restoreOtp(tx: Transaction, codeId: string): Promise<void> {
  const row = await tx.codes.get(codeId);
  if (!row) return;
  await tx.codes.replace({ ...row, used: false });
  await storeCodeUse(tx, row, false);
}

export async function revokeOtps(tx: Transaction, subject: string): Promise<void> {
  for (const { codeId } of await tx.codes.find('subject', subject)) await tx.codes.delete(codeId);
}

type OtpOutcome =
  | { readonly kind: 'valid'; readonly row: Otp }
  | { readonly kind: 'wrong' | 'spent' | 'closed' }
  | { readonly kind: 'throttled'; readonly retryAfter: number; readonly reason: string };

type CheckedOtp = OtpOutcome & {
  readonly check: OtpCheck;
  /** Whether the source of the request requested a code with this binding. */
  readonly hasOwn: boolean;
  /** The number of guesses: a code without an id is compared with those that the session requested from several addresses. */
  readonly compared: number;
};

/**
 * The contacts for which this source requested a code are compared first, so that a user with a code for one contact is
 * not guessing at the other one. The first match ends the comparison, also one with a used or expired code, which is no
 * guess: a code for a contact of the caller would otherwise hide whether it is wrong for a contact of another person.
 */
async function checkOtps(
  tx: Transaction,
  checks: readonly [OtpCheck, ...OtpCheck[]],
  deps: OtpDeps,
): Promise<Exclude<OtpOutcome, { kind: 'valid' }> | Extract<CheckedOtp, { kind: 'valid' }>> {
  // All of one request, so of one source.
  const [{ source }] = checks;
  const groupWait = await findGroupWait(tx, source, deps);
  if (groupWait > 0) return { kind: 'throttled', retryAfter: groupWait, reason: groupReason };
  const evaluated: CheckedOtp[] = [];
  for (const check of checks) evaluated.push(await evaluateOtp(tx, check, deps));
  const checked = evaluated.toSorted((a, b) => Number(b.hasOwn) - Number(a.hasOwn));
  const match = checked.find(({ kind }) => kind === 'valid' || kind === 'spent');
  const guesses = match ? checked.slice(0, checked.indexOf(match)) : checked;
  for (const { kind, check, compared } of guesses) {
    if (kind === 'wrong')
      for (let count = 0; count < compared; count += 1) await recordFailedAttempt(tx, check, check.source, deps);
    const countsForLogin = check.loginSubject !== undefined && (kind === 'wrong' || kind === 'closed');
    if (countsForLogin) await recordFailedAttempt(tx, toLoginBinding(check), check.source, deps);
  }
  if (guesses.some(({ kind }) => kind !== 'throttled')) await recordGroupAttempt(tx, source, deps);
  if (match?.kind === 'valid') {
    for (const counted of [match.check, toLoginBinding(match.check)])
      await clearFailedAttempts(tx, counted, match.check.source, deps);
    return match;
  }
  return match ?? checked.find(({ kind }) => kind === 'throttled') ?? { kind: 'wrong' };
}

const groupReason =
  'This network or client submitted too many wrong codes for all users together. It is still served for users for whom it is known.';
const subjectReason =
  'Too many wrong codes were submitted for this user or contact, from this source or from all sources together.';

/** The binding that attempts under the typed name count by; the subject itself if no login name is given. */
function toLoginBinding({ purpose, subject, loginSubject = subject }: OtpCheck) {
  return { purpose, subject: loginSubject };
}

async function evaluateOtp(tx: Transaction, check: OtpCheck, deps: OtpDeps): Promise<CheckedOtp> {
  const now = epochSeconds(deps.clock);
  const codes = await listOtps(tx, check);
  const source = sourceDigest(formatAttemptsKey(check, deps.storeSecret), check.source.key, deps.storeSecret);
  const ownCodes = codes.filter((row) => row.source === source);
  const isOfSession = check.target !== undefined && check.codeId === undefined;
  const ofSession = isOfSession ? codes.filter((row) => row.target === check.target && isLive(row, now)) : [];
  const hasLiveOwn = ownCodes.some((row) => isLive(row, now));
  const isClosed = ({ to }: OtpAccess) => to === 'none' || (to === 'own' && !hasLiveOwn);
  const loginAccess = await checkOtpAccess(tx, toLoginBinding(check), check.source, deps);
  const access = check.loginSubject === undefined ? loginAccess : await checkOtpAccess(tx, check, check.source, deps);
  // Each comparison with a live code is a guess, so there are no more than guesses left: with its own codes first, newest first.
  const ownFirst = ofSession.toReversed().toSorted((a, b) => Number(b.source === source) - Number(a.source === source));
  const surplus = new Set(ownFirst.slice(Math.max(1, access.left)));
  const checked = { check, hasOwn: ownCodes.length > 0, compared: Math.max(1, ofSession.length - surplus.size) };
  // Always the same number of comparisons, regardless of the number of codes.
  const rows = Array.from({ length: Math.max(maxStoredOtps, codes.length) }, (_, at) => codes[at]);
  const matches = rows.filter((row): row is Otp => otpMatches(row, check.code, deps));
  if (loginAccess.to !== 'all' && isClosed(loginAccess))
    return { ...checked, kind: 'throttled', retryAfter: loginAccess.retryAfter, reason: subjectReason };
  if (isClosed(access)) return { ...checked, kind: 'closed' };
  const open = new Set(loginAccess.to === 'own' || access.to === 'own' ? ownCodes : codes);
  const valid = matches.filter(
    (row) =>
      row.target === check.target &&
      (check.codeId === undefined || check.codeId === row.codeId) &&
      open.has(row) &&
      !surplus.has(row),
  );
  const live = valid.filter((row) => isLive(row, now));
  const row = live.find((one) => one.source === source) ?? live.at(-1);
  if (row) return { ...checked, kind: 'valid', row };
  return { ...checked, kind: valid.length > 0 ? 'spent' : 'wrong' };
}

/** Stores the code as used even if its use revoked it, so that a repeated submission does not count as a guess. */
async function markOtpUsed(tx: Transaction, row: Otp): Promise<void> {
  if (await tx.codes.get(row.codeId)) await tx.codes.replace({ ...row, used: true });
  else if (!(await listOtps(tx, row)).some((other) => isSameRequest(other, row)))
    await tx.codes.insert({ ...row, used: true });
}

function createOtpError(outcome: Exclude<OtpOutcome, { kind: 'valid' }>, check: OtpCheck): IamError {
  if (outcome.kind === 'throttled')
    return retryLater('CODE_FAILURES', outcome.retryAfter).withReason({ text: outcome.reason });
  return check.createError?.() ?? apiError('CODE_INVALID');
}
