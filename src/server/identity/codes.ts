/**
 * One-time codes: six digits, ten minutes, one use, bound to subject, purpose and transaction, kept as a keyed hash.
 * Wrong ones count per subject and purpose whatever codes are sent meanwhile; at five nobody tries on for an hour.
 */
import { timingSafeEqual } from 'node:crypto';
import { fault, type IamError } from '../../contract/errors.ts';
import { epochSeconds } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import type { Store, Transaction } from '../store/store.ts';
import { type Code, holderValue } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';
import { countFailure, failuresName, heldFor } from './code-failures.ts';
import { type Contact, contactKey } from './contacts.ts';
import { type MessageTools, queueMessage } from './messages.ts';
import { countSending } from './sendings.ts';

export { attemptsLeft } from './code-failures.ts';

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
/** Somebody who is not there: counted like those who are. */
export const subjectOfNobody = (name: string) => `nobody:${name}`;

export interface CodeTools extends MessageTools {
  readonly randomness: Randomness;
  readonly store: Store;
  /** Setting disable-rate-limits: counts nothing. */
  readonly disableRateLimits: boolean;
}

export interface SentCode {
  /** Names the transaction: a challenge id. */
  readonly codeId: string;
  readonly expiresAt: number;
  /** Seconds, as a string of digits. */
  readonly expiresIn: string;
}

/**
 * Sends one new code to contacts; the code before, of the same holder, is void. Part of a transaction; `outbox.kept()`
 * belongs after it. `quiet`: where a contact had its five codes in this hour, nothing goes there and nothing is said.
 * `about` stays with the code, for whoever takes it.
 * @throws IamError TOO_MANY_CODES with Retry-After, unless `quiet`.
 */
export async function sendCode(
  tx: Transaction,
  holder: CodeHolder,
  contacts: readonly Contact[],
  tools: CodeTools,
  { quiet = false, about }: { readonly quiet?: boolean; readonly about?: string | undefined } = {},
): Promise<SentCode> {
  const reached: Contact[] = [];
  for (const contact of contacts) if (await countSending(tx, contactKey(contact), tools, quiet)) reached.push(contact);
  // A new code that reaches nobody would only take the last one away.
  if (contacts.length > 0 && reached.length === 0) return pretendedCode(tools);
  const now = epochSeconds(tools.clock);
  const code = fixedCodeFor(reached, tools) ?? sixDigits(tools.randomness);
  const codeId = tools.randomness.uuid();
  const expiresAt = now + lifetimeSeconds;
  const before = await tx.codes.getBy('holder', holderValue(holder));
  if (before) await tx.codes.delete(before.codeId);
  await clearExpired(tx.codes, ({ codeId: key }) => key, now, tools.randomness);
  await tx.codes.insert({
    purpose: holder.purpose,
    subject: holder.subject,
    ...(holder.target === undefined ? {} : { target: holder.target }),
    ...(about === undefined ? {} : { about }),
    codeId,
    codeHash: hashOf(codeId, code, tools),
    used: false,
    createdAt: now,
    expiresAt,
  });
  const voids = before && !before.used && before.expiresAt > now ? before.codeId : undefined;
  const text = `${holder.purpose === 'mfa' ? 'Your sign-in code' : 'Your code'} is {code}. It is good for ten minutes. Tell it to nobody.`;
  for (const contact of reached)
    await queueMessage(tx, { contact, purpose: holder.purpose, text, code: { codeId, code, expiresAt, voids } }, tools);
  return { codeId, expiresAt, expiresIn: String(lifetimeSeconds) };
}

/** The code that all of these contacts choose for themselves: one that goes to anybody else as well is never known before. */
function fixedCodeFor(contacts: readonly Contact[], { outbox }: CodeTools): string | undefined {
  const [chosen, ...others] = contacts.map((contact) => {
    const outcome = outbox.outcomeOf(contact);
    return outcome?.kind === 'fixed' ? outcome.code : undefined;
  });
  return others.every((code) => code === chosen) ? chosen : undefined;
}

/** What somebody is told for whom no code could be sent: the same as if one had been. */
export function pretendedCode({ clock, randomness }: Pick<CodeTools, 'clock' | 'randomness'>): SentCode {
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
  /** What a wrong code is answered with; CODE_INVALID where missing. */
  readonly refusal?: () => IamError;
}

/**
 * Takes a right code: uses it up together with what `onRight` does, in one transaction, so that of many parallel uses
 * one wins. Where `onRight` throws, the code stays good and nothing is kept.
 * @throws IamError CODE_INVALID (or `refusal`) where it is wrong, used, expired, or of another holder; CODE_FAILURES
 *   with Retry-After after five wrong ones; whatever `onRight` throws.
 */
export function takeCode<Result>(
  check: CodeCheck,
  tools: CodeTools,
  onRight: (tx: Transaction, code: Code) => Promise<Result>,
): Promise<Result> {
  return takeCodeOfOne([check], tools, onRight);
}

/** As `takeCode`, for a code that may be of any of these holders: a wrong one counts once for each that it was tried on. */
export async function takeCodeOfOne<Result>(
  checks: readonly [CodeCheck, ...CodeCheck[]],
  tools: CodeTools,
  onRight: (tx: Transaction, code: Code) => Promise<Result>,
): Promise<Result> {
  const taken = await tools.store.transaction(async (tx) => {
    const outcome = await tryCode(tx, checks, tools);
    if (outcome.kind !== 'right') return outcome;
    const result = await onRight(tx, outcome.row);
    await markUsed(tx, outcome.row);
    return { kind: 'taken', result } as const;
  });
  if (taken.kind === 'taken') return taken.result;
  throw refusalOf(taken, checks[0]);
}

/** As `takeCode`, but leaves a right code good, for what has to be looked at before it is used. */
export async function checkCode(check: CodeCheck, tools: CodeTools): Promise<void> {
  const outcome = await tools.store.transaction((tx) => tryCode(tx, [check], tools));
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
  | { readonly kind: 'wrong' | 'late' }
  | { readonly kind: 'held'; readonly retryAfter: number };

type Look = Outcome & { readonly name: string };

async function tryCode(tx: Transaction, checks: readonly CodeCheck[], tools: CodeTools): Promise<Outcome> {
  const now = epochSeconds(tools.clock);
  const looks: Look[] = [];
  for (const check of checks) looks.push(await lookAt(tx, check, now, tools));
  const right = looks.find(({ kind }) => kind === 'right');
  if (right) {
    await tx.codeFailures.delete(right.name);
    return right;
  }
  // Who gives a right code once more guesses nothing: it was used, or came too late.
  if (!looks.some(({ kind }) => kind === 'late'))
    for (const { kind, name } of looks) if (kind === 'wrong') await countFailure(tx, name, now, tools.randomness);
  return looks.find(({ kind }) => kind === 'held') ?? { kind: 'wrong' };
}

async function lookAt(tx: Transaction, check: CodeCheck, now: number, tools: CodeTools): Promise<Look> {
  const name = failuresName(check);
  const retryAfter = tools.disableRateLimits ? undefined : await heldFor(tx, name, now);
  if (retryAfter !== undefined) return { kind: 'held', name, retryAfter };
  const row = await tx.codes.getBy('holder', holderValue(check));
  const codeId = row?.codeId ?? 'none';
  const matches =
    equal(hashOf(codeId, check.code, tools), row?.codeHash) && (check.codeId === undefined || check.codeId === codeId);
  if (!row || !matches) return { kind: 'wrong', name };
  return row.used || row.expiresAt <= now ? { kind: 'late', name } : { kind: 'right', name, row };
}

/** Also where what was done with it voided it: it is to be known again, and not taken for a guess. */
async function markUsed(tx: Transaction, row: Code): Promise<void> {
  if (await tx.codes.get(row.codeId)) await tx.codes.replace({ ...row, used: true });
  else if (!(await tx.codes.getBy('holder', holderValue(row)))) await tx.codes.insert({ ...row, used: true });
}

function refusalOf(outcome: Exclude<Outcome, { kind: 'right' }>, check: CodeCheck): IamError {
  if (outcome.kind === 'held') return fault('CODE_FAILURES', undefined, { 'Retry-After': String(outcome.retryAfter) });
  return check.refusal?.() ?? fault('CODE_INVALID');
}

function hashOf(codeId: string, code: string, { storeKey }: CodeTools): string {
  return storeKey.digest('code', `${codeId}:${code}`);
}

function equal(a: string, b: string | undefined): boolean {
  const given = Buffer.from(a);
  const kept = Buffer.from(b ?? ''.padEnd(a.length, '0'));
  return given.length === kept.length && timingSafeEqual(given, kept) && b !== undefined;
}

const codeCount = 1_000_000;

/** Every code is as likely as any other: numbers beyond the last whole multiple are drawn again. */
export function sixDigits(randomness: Randomness): string {
  const limit = 2 ** 32 - (2 ** 32 % codeCount);
  for (;;) {
    const drawn = randomness.bytes(4).readUInt32BE(0);
    if (drawn < limit) return String(drawn % codeCount).padStart(6, '0');
  }
}
