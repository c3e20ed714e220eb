/**
 * One-time codes: six digits, ten minutes, one use, bound to subject, purpose and transaction, stored as a keyed hash.
 * Each source that asks gets a code of its own, so that nobody voids the code of another source; up to four are live.
 */
import { apiError, type IamError, retryLater } from '../../contract/errors.ts';
import { epochSeconds } from '../clock.ts';
import type { Transaction } from '../store/store.ts';
import type { Otp } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';
import { type Contact, contactKey } from './contacts.ts';
import { enqueueMessage } from './messages.ts';
import {
  checkOtpAccess,
  clearFailedAttempts,
  formatAttemptsKey,
  type OtpAccess,
  recordFailedAttempt,
} from './otp-attempts.ts';
import { deleteDecoyMessages } from './otp-decoys.ts';
import { consumeOtpRateLimit } from './otp-rate-limit.ts';
import { findOtpSlot, isLive, isSameRequest, listOtps, maxStoredOtps } from './otp-slots.ts';
import type { OtpSource } from './otp-source.ts';
import { createOtpCode, hashOtp, type OtpDeps, otpMatches } from './otp-value.ts';
import { sourceDigest } from './source-events.ts';

export type OtpPurpose = 'sign-up' | 'recovery' | 'mfa' | 'factor' | 'legacy-association' | 'legacy-recovery';

const lifetimeSeconds = 600;

/** What a code is bound to. Subjects are made by the functions below. */
export interface OtpBinding {
  readonly purpose: OtpPurpose;
  readonly subject: string;
  /** What it is about, where a subject has several at a time: a factor. */
  readonly target?: string | undefined;
}

export const subjectOfUser = (userId: string) => `user:${userId}`;
export const subjectOfContact = (contact: Contact) => `contact:${contactKey(contact)}`;
export const subjectOfLogon = (logon: string) => `logon:${logon}`;
/** A name that leads to no user: counted like those that do. */
export const subjectOfNobody = (name: string) => `nobody:${name}`;

export interface OtpTransaction {
  /** Names the transaction: a challenge id. */
  readonly codeId: string;
  readonly expiresAt: number;
  /** Seconds, as a string of digits. */
  readonly expiresIn: string;
}

export interface OtpRequest extends OtpBinding {
  readonly contacts: readonly Contact[];
  /**
   * Where it must not show how many contacts there are: one for each there can be. Those beyond the real ones get the same
   * work, a message that is deleted again included.
   */
  readonly decoys?: readonly Contact[];
  readonly source: OtpSource;
  /** Where nothing may be sent, nothing is, and the answer is as if it was. */
  readonly quiet?: boolean;
  /** Stays with the code, for its use. */
  readonly about?: string | undefined;
}

/**
 * Sends one new code to contacts; the code before that the same source asked for, of the same holder, is void. Part of a
 * transaction; `outbox.wake()` belongs after it.
 * @throws IamError TOO_MANY_CODES with Retry-After, unless `quiet`.
 */
export async function sendOtp(tx: Transaction, request: OtpRequest, deps: OtpDeps): Promise<OtpTransaction> {
  const { purpose, subject, target, contacts, decoys = [], source, about, quiet = false } = request;
  const recipients = [...contacts, ...decoys.slice(contacts.length)];
  const reached: Contact[] = [];
  for (const contact of recipients)
    if (await consumeOtpRateLimit(tx, contactKey(contact), deps, { source, quiet })) reached.push(contact);
  // A new code that reaches nobody would only void the last one.
  const real = contacts.filter((contact) => reached.includes(contact));
  if (recipients.length > 0 && (contacts.length > 0 ? real : reached).length === 0)
    return createDecoyOtpTransaction(deps);
  const now = epochSeconds(deps.clock);
  const codes = await listOtps(tx, request);
  const requester = {
    target,
    source: sourceDigest(formatAttemptsKey(request, deps.storeSecret), source.key, deps.storeSecret),
    known: source.isKnown,
  };
  const slot = findOtpSlot(codes, requester, now);
  if (!slot.isFree) {
    if (quiet) return createDecoyOtpTransaction(deps);
    throw retryLater('TOO_MANY_CODES', slot.freeAt - now);
  }
  for (const { codeId } of slot.removed) await tx.codes.delete(codeId);
  const code = createOtpCode(real, deps);
  const codeId = deps.random.uuid();
  await clearExpired(tx.codes, (row) => row.codeId, now, codeId);
  const expiresAt = now + lifetimeSeconds;
  await tx.codes.insert({
    purpose,
    subject,
    ...(target === undefined ? {} : { target }),
    ...(about === undefined ? {} : { about }),
    source: requester.source,
    known: requester.known,
    sequence: (codes.at(-1)?.sequence ?? 0) + 1,
    codeId,
    codeHash: hashOtp(codeId, code, deps),
    used: false,
    createdAt: now,
    expiresAt,
  });
  const text = `${purpose === 'mfa' ? 'Your sign-in code' : 'Your code'} is {code}. It is good for ten minutes. Tell it to nobody.`;
  for (const contact of reached)
    await enqueueMessage(tx, { contact, purpose, text, code: { codeId, code, expiresAt, voids: slot.voids } }, deps);
  await deleteDecoyMessages(tx, decoys);
  return { codeId, expiresAt, expiresIn: String(lifetimeSeconds) };
}

/** The answer where no code could be sent: the same as if one had been. */
export function createDecoyOtpTransaction({ clock, random }: Pick<OtpDeps, 'clock' | 'random'>): OtpTransaction {
  return {
    codeId: random.uuid(),
    expiresAt: epochSeconds(clock) + lifetimeSeconds,
    expiresIn: String(lifetimeSeconds),
  };
}

export interface OtpCheck extends OtpBinding {
  /** The transaction that the caller names, where it names one. */
  readonly codeId?: string | undefined;
  readonly code: string;
  readonly source: OtpSource;
  /**
   * The login name that was typed, as a subject. Attempts then count by name as well, and only those are told of: the
   * answer under one name does not show that attempts under another one were for the same user.
   */
  readonly loginSubject?: string | undefined;
  /** What a wrong code is answered with; CODE_INVALID where missing. */
  readonly createError?: () => IamError;
}

/**
 * Takes a right code: uses it up together with what `onRight` does, in one transaction, so that of many parallel uses
 * one wins. Where `onRight` throws, the code stays good and nothing is kept.
 * @throws IamError CODE_INVALID (or `refusal`) where it is wrong, used, expired, or of another holder; CODE_FAILURES
 *   with Retry-After after too many wrong ones; whatever `onRight` throws.
 */
export function consumeOtp<Result>(
  check: OtpCheck,
  deps: OtpDeps,
  onRight: (tx: Transaction, code: Otp) => Promise<Result>,
): Promise<Result> {
  return consumeFirstMatchingOtp([check], deps, onRight);
}

/** As `takeCode`, for a code that may be of any of these holders: a wrong one counts once for each that it was tried on. */
export async function consumeFirstMatchingOtp<Result>(
  checks: readonly [OtpCheck, ...OtpCheck[]],
  deps: OtpDeps,
  onRight: (tx: Transaction, code: Otp) => Promise<Result>,
): Promise<Result> {
  const consumed = await deps.store.transaction(async (tx) => {
    const outcome = await checkOtps(tx, checks, deps);
    if (outcome.kind !== 'right') return outcome;
    const result = await onRight(tx, outcome.row);
    await markOtpUsed(tx, outcome.row);
    return { kind: 'taken', result } as const;
  });
  if (consumed.kind === 'taken') return consumed.result;
  throw createOtpError(consumed, checks[0]);
}

/** As `takeCode`, but leaves a right code good, for what has to be looked at before it is used. */
export async function verifyOtp(check: OtpCheck, deps: OtpDeps): Promise<void> {
  const outcome = await deps.store.transaction((tx) => checkOtps(tx, [check], deps));
  if (outcome.kind !== 'right') throw createOtpError(outcome, check);
}

/** Makes a used code good again, where what it was used for did not come about and nothing took its place meanwhile. */
export async function restoreOtp(tx: Transaction, codeId: string): Promise<void> {
  const row = await tx.codes.get(codeId);
  if (row) await tx.codes.replace({ ...row, used: false });
}

/** Voids every code of a subject: what was begun with them does not go on. */
export async function revokeOtps(tx: Transaction, subject: string): Promise<void> {
  for (const { codeId } of await tx.codes.find('subject', subject)) await tx.codes.delete(codeId);
}

type OtpOutcome =
  | { readonly kind: 'right'; readonly row: Otp }
  | { readonly kind: 'wrong' | 'late' | 'closed' }
  | { readonly kind: 'throttled'; readonly retryAfter: number };

type CheckedOtp = OtpOutcome & { readonly check: OtpCheck };

async function checkOtps(tx: Transaction, checks: readonly OtpCheck[], deps: OtpDeps): Promise<OtpOutcome> {
  const checked: CheckedOtp[] = [];
  for (const check of checks) checked.push({ ...(await evaluateOtp(tx, check, deps)), check });
  const right = checked.find(({ kind }) => kind === 'right');
  if (right) {
    for (const counted of [right.check, toLoginBinding(right.check)])
      await clearFailedAttempts(tx, counted, right.check.source, deps);
    return right;
  }
  // A right code that is typed again or too late is no guess.
  if (!checked.some(({ kind }) => kind === 'late'))
    for (const { kind, check } of checked) {
      if (kind === 'wrong') await recordFailedAttempt(tx, check, check.source, deps);
      const isTyped = check.loginSubject !== undefined && (kind === 'wrong' || kind === 'closed');
      if (isTyped) await recordFailedAttempt(tx, toLoginBinding(check), check.source, deps);
    }
  return checked.find(({ kind }) => kind === 'throttled') ?? { kind: 'wrong' };
}

/** What the attempts under the typed name count by; the holder itself where names make no difference. */
function toLoginBinding({ purpose, subject, loginSubject: typed = subject }: OtpCheck) {
  return { purpose, subject: typed };
}

async function evaluateOtp(tx: Transaction, check: OtpCheck, deps: OtpDeps): Promise<OtpOutcome> {
  const now = epochSeconds(deps.clock);
  const codes = await listOtps(tx, check);
  const source = sourceDigest(formatAttemptsKey(check, deps.storeSecret), check.source.key, deps.storeSecret);
  const ownOnes = codes.filter((row) => row.source === source);
  const hasOwn = ownOnes.some((row) => isLive(row, now));
  const isClosed = ({ to }: OtpAccess) => to === 'none' || (to === 'own' && !hasOwn);
  const loginAccess = await checkOtpAccess(tx, toLoginBinding(check), check.source, deps);
  const access = check.loginSubject === undefined ? loginAccess : await checkOtpAccess(tx, check, check.source, deps);
  // As many comparisons however many codes there are.
  const rows = Array.from({ length: Math.max(maxStoredOtps, codes.length) }, (_, at) => codes[at]);
  const matches = rows.filter((row): row is Otp => otpMatches(row, check.code, deps));
  if (loginAccess.to !== 'all' && isClosed(loginAccess))
    return { kind: 'throttled', retryAfter: loginAccess.retryAfter };
  if (isClosed(access)) return { kind: 'closed' };
  const open = new Set(loginAccess.to === 'own' || access.to === 'own' ? ownOnes : codes);
  const right = matches.filter(
    (row) =>
      row.target === check.target && (check.codeId === undefined || check.codeId === row.codeId) && open.has(row),
  );
  const live = right.filter((row) => isLive(row, now));
  const row = live.find((one) => one.source === source) ?? live.at(-1);
  if (row) return { kind: 'right', row };
  return { kind: right.length > 0 ? 'late' : 'wrong' };
}

/** Also where what was done with it voided it: it is to be recognized, and not counted as a guess. */
async function markOtpUsed(tx: Transaction, row: Otp): Promise<void> {
  if (await tx.codes.get(row.codeId)) await tx.codes.replace({ ...row, used: true });
  else if (!(await listOtps(tx, row)).some((other) => isSameRequest(other, row)))
    await tx.codes.insert({ ...row, used: true });
}

function createOtpError(outcome: Exclude<OtpOutcome, { kind: 'right' }>, check: OtpCheck): IamError {
  if (outcome.kind === 'throttled') return retryLater('CODE_FAILURES', outcome.retryAfter);
  return check.createError?.() ?? apiError('CODE_INVALID');
}
