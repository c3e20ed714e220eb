/**
 * One-time codes: six digits, ten minutes, one use, bound to subject, purpose and transaction, stored as a keyed hash.
 * Each source that asks gets a code of its own, so that nobody voids the code of another source; up to four are live.
 */
import { fault, type IamError, retryLater } from '../../contract/errors.ts';
import { epochSeconds } from '../clock.ts';
import type { Transaction } from '../store/store.ts';
import type { Code } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';
import { type Contact, contactKey } from './contacts.ts';
import { queueMessage } from './messages.ts';
import { type Access, accessFor, attemptsName, clearAttempts, countAttempt } from './otp-attempts.ts';
import { deleteDecoyMessages } from './otp-decoys.ts';
import { codesOf, isLive, isSameRequest, placeFor, storedCodes } from './otp-live.ts';
import { countSending } from './otp-rate-limit.ts';
import type { OtpSource } from './otp-source.ts';
import { codeHash, isCode, newCodeFor, type OtpDeps } from './otp-value.ts';
import { sourceDigest } from './source-events.ts';

export type Purpose = 'sign-up' | 'recovery' | 'mfa' | 'factor' | 'legacy-association' | 'legacy-recovery';

const lifetimeSeconds = 600;

/** What a code is bound to. Subjects are made by the functions below. */
export interface CodeHolder {
  readonly purpose: Purpose;
  readonly subject: string;
  /** What it is about, where a subject has several at a time: a factor. */
  readonly target?: string | undefined;
}

export const subjectOfUser = (userId: string) => `user:${userId}`;
export const subjectOfContact = (contact: Contact) => `contact:${contactKey(contact)}`;
export const subjectOfLogon = (logon: string) => `logon:${logon}`;
/** A name that leads to no user: counted like those that do. */
export const subjectOfNobody = (name: string) => `nobody:${name}`;

export interface SentCode {
  /** Names the transaction: a challenge id. */
  readonly codeId: string;
  readonly expiresAt: number;
  /** Seconds, as a string of digits. */
  readonly expiresIn: string;
}

export interface CodeRequest extends CodeHolder {
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
 * transaction; `outbox.kept()` belongs after it.
 * @throws IamError TOO_MANY_CODES with Retry-After, unless `quiet`.
 */
export async function sendCode(tx: Transaction, request: CodeRequest, deps: OtpDeps): Promise<SentCode> {
  const { purpose, subject, target, contacts, decoys = [], source, about, quiet = false } = request;
  const wanted = [...contacts, ...decoys.slice(contacts.length)];
  const reached: Contact[] = [];
  for (const contact of wanted)
    if (await countSending(tx, contactKey(contact), deps, { source, quiet })) reached.push(contact);
  // A new code that reaches nobody would only void the last one.
  const real = contacts.filter((contact) => reached.includes(contact));
  if (wanted.length > 0 && (contacts.length > 0 ? real : reached).length === 0) return pretendedCode(deps);
  const now = epochSeconds(deps.clock);
  const codes = await codesOf(tx, request);
  const asked = {
    target,
    source: sourceDigest(attemptsName(request, deps.storeKey), source.key, deps.storeKey),
    known: source.isKnown,
  };
  const place = placeFor(codes, asked, now);
  if (!place.isFree) {
    if (quiet) return pretendedCode(deps);
    throw retryLater('TOO_MANY_CODES', place.freeAt - now);
  }
  for (const { codeId } of place.removed) await tx.codes.delete(codeId);
  const code = newCodeFor(real, deps);
  const codeId = deps.randomness.uuid();
  await clearExpired(tx.codes, (row) => row.codeId, now, codeId);
  const expiresAt = now + lifetimeSeconds;
  await tx.codes.insert({
    purpose,
    subject,
    ...(target === undefined ? {} : { target }),
    ...(about === undefined ? {} : { about }),
    source: asked.source,
    known: asked.known,
    sequence: (codes.at(-1)?.sequence ?? 0) + 1,
    codeId,
    codeHash: codeHash(codeId, code, deps),
    used: false,
    createdAt: now,
    expiresAt,
  });
  const text = `${purpose === 'mfa' ? 'Your sign-in code' : 'Your code'} is {code}. It is good for ten minutes. Tell it to nobody.`;
  for (const contact of reached)
    await queueMessage(tx, { contact, purpose, text, code: { codeId, code, expiresAt, voids: place.voids } }, deps);
  await deleteDecoyMessages(tx, decoys);
  return { codeId, expiresAt, expiresIn: String(lifetimeSeconds) };
}

/** The answer where no code could be sent: the same as if one had been. */
export function pretendedCode({ clock, randomness }: Pick<OtpDeps, 'clock' | 'randomness'>): SentCode {
  return {
    codeId: randomness.uuid(),
    expiresAt: epochSeconds(clock) + lifetimeSeconds,
    expiresIn: String(lifetimeSeconds),
  };
}

export interface CodeCheck extends CodeHolder {
  /** The transaction that the caller names, where it names one. */
  readonly codeId?: string | undefined;
  readonly code: string;
  readonly source: OtpSource;
  /**
   * The login name that was typed, as a subject. Attempts then count by name as well, and only those are told of: the
   * answer under one name does not show that attempts under another one were for the same user.
   */
  readonly typed?: string | undefined;
  /** What a wrong code is answered with; CODE_INVALID where missing. */
  readonly refusal?: () => IamError;
}

/**
 * Takes a right code: uses it up together with what `onRight` does, in one transaction, so that of many parallel uses
 * one wins. Where `onRight` throws, the code stays good and nothing is kept.
 * @throws IamError CODE_INVALID (or `refusal`) where it is wrong, used, expired, or of another holder; CODE_FAILURES
 *   with Retry-After after too many wrong ones; whatever `onRight` throws.
 */
export function takeCode<Result>(
  check: CodeCheck,
  deps: OtpDeps,
  onRight: (tx: Transaction, code: Code) => Promise<Result>,
): Promise<Result> {
  return takeCodeOfOne([check], deps, onRight);
}

/** As `takeCode`, for a code that may be of any of these holders: a wrong one counts once for each that it was tried on. */
export async function takeCodeOfOne<Result>(
  checks: readonly [CodeCheck, ...CodeCheck[]],
  deps: OtpDeps,
  onRight: (tx: Transaction, code: Code) => Promise<Result>,
): Promise<Result> {
  const taken = await deps.store.transaction(async (tx) => {
    const outcome = await tryCode(tx, checks, deps);
    if (outcome.kind !== 'right') return outcome;
    const result = await onRight(tx, outcome.row);
    await markUsed(tx, outcome.row);
    return { kind: 'taken', result } as const;
  });
  if (taken.kind === 'taken') return taken.result;
  throw refusalOf(taken, checks[0]);
}

/** As `takeCode`, but leaves a right code good, for what has to be looked at before it is used. */
export async function checkCode(check: CodeCheck, deps: OtpDeps): Promise<void> {
  const outcome = await deps.store.transaction((tx) => tryCode(tx, [check], deps));
  if (outcome.kind !== 'right') throw refusalOf(outcome, check);
}

/** Makes a used code good again, where what it was used for did not come about and nothing took its place meanwhile. */
export async function restoreCode(tx: Transaction, codeId: string): Promise<void> {
  const row = await tx.codes.get(codeId);
  if (row) await tx.codes.replace({ ...row, used: false });
}

/** Voids every code of a subject: what was begun with them does not go on. */
export async function voidCodes(tx: Transaction, subject: string): Promise<void> {
  for (const { codeId } of await tx.codes.find('subject', subject)) await tx.codes.delete(codeId);
}

type Outcome =
  | { readonly kind: 'right'; readonly row: Code }
  | { readonly kind: 'wrong' | 'late' | 'closed' }
  | { readonly kind: 'held'; readonly retryAfter: number };

type Look = Outcome & { readonly check: CodeCheck };

async function tryCode(tx: Transaction, checks: readonly CodeCheck[], deps: OtpDeps): Promise<Outcome> {
  const looks: Look[] = [];
  for (const check of checks) looks.push({ ...(await lookAt(tx, check, deps)), check });
  const right = looks.find(({ kind }) => kind === 'right');
  if (right) {
    for (const counted of [right.check, typedOf(right.check)])
      await clearAttempts(tx, counted, right.check.source, deps);
    return right;
  }
  // A right code that is typed again or too late is no guess.
  if (!looks.some(({ kind }) => kind === 'late'))
    for (const { kind, check } of looks) {
      if (kind === 'wrong') await countAttempt(tx, check, check.source, deps);
      const isTyped = check.typed !== undefined && (kind === 'wrong' || kind === 'closed');
      if (isTyped) await countAttempt(tx, typedOf(check), check.source, deps);
    }
  return looks.find(({ kind }) => kind === 'held') ?? { kind: 'wrong' };
}

/** What the attempts under the typed name count by; the holder itself where names make no difference. */
function typedOf({ purpose, subject, typed = subject }: CodeCheck) {
  return { purpose, subject: typed };
}

async function lookAt(tx: Transaction, check: CodeCheck, deps: OtpDeps): Promise<Outcome> {
  const now = epochSeconds(deps.clock);
  const codes = await codesOf(tx, check);
  const source = sourceDigest(attemptsName(check, deps.storeKey), check.source.key, deps.storeKey);
  const ownOnes = codes.filter((row) => row.source === source);
  const hasOwn = ownOnes.some((row) => isLive(row, now));
  const isClosed = ({ to }: Access) => to === 'none' || (to === 'own' && !hasOwn);
  const told = await accessFor(tx, typedOf(check), check.source, deps);
  const access = check.typed === undefined ? told : await accessFor(tx, check, check.source, deps);
  // As many comparisons however many codes there are.
  const rows = Array.from({ length: Math.max(storedCodes, codes.length) }, (_, at) => codes[at]);
  const matching = rows.filter((row): row is Code => isCode(row, check.code, deps));
  if (told.to !== 'all' && isClosed(told)) return { kind: 'held', retryAfter: told.retryAfter };
  if (isClosed(access)) return { kind: 'closed' };
  const open = new Set(told.to === 'own' || access.to === 'own' ? ownOnes : codes);
  const right = matching.filter(
    (row) =>
      row.target === check.target && (check.codeId === undefined || check.codeId === row.codeId) && open.has(row),
  );
  const live = right.filter((row) => isLive(row, now));
  const row = live.find((one) => one.source === source) ?? live.at(-1);
  if (row) return { kind: 'right', row };
  return { kind: right.length > 0 ? 'late' : 'wrong' };
}

/** Also where what was done with it voided it: it is to be recognized, and not counted as a guess. */
async function markUsed(tx: Transaction, row: Code): Promise<void> {
  if (await tx.codes.get(row.codeId)) await tx.codes.replace({ ...row, used: true });
  else if (!(await codesOf(tx, row)).some((other) => isSameRequest(other, row)))
    await tx.codes.insert({ ...row, used: true });
}

function refusalOf(outcome: Exclude<Outcome, { kind: 'right' }>, check: CodeCheck): IamError {
  if (outcome.kind === 'held') return retryLater('CODE_FAILURES', outcome.retryAfter);
  return check.refusal?.() ?? fault('CODE_INVALID');
}
