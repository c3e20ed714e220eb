/**
 * The password policy of users, for passwords from operations, the seed and settings: 8 to 128 code points, not one of
 * the common passwords, without names of the account. Passwords are not trimmed, truncated or case-folded; they are
 * checked and hashed in NFC, so that a composed and a decomposed é are the same. Only the checks fold case.
 */
import type { ApiErrorItem } from '../../contract/errors.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { throwAny } from '../directory/assert-each.ts';
import {
  countCodePoints,
  lengthMessages,
  maxPasswordLength,
  minPasswordLength,
  normalizePassword,
} from '../lib/password-length.ts';

/** Account fields that its password must not contain. */
export interface PasswordOwner {
  readonly userName?: string | undefined;
  readonly userEmail?: string | undefined;
}

/** The longest common password, so that the list is not loaded for a longer one. */
const maxCommonPasswordLength = 20;
/** Shorter names occur in too many words to be meaningful. */
const minContextLength = 3;
const serviceNames = ['iam-standin', 'iamstandin'];

/** The message of each rule, as a predicate. */
const ruleMessages = {
  PASSWORD_TOO_SHORT: lengthMessages.tooShort,
  PASSWORD_TOO_LONG: lengthMessages.tooLong,
  PASSWORD_COMMON: 'must not be one of the most common passwords',
  PASSWORD_CONTEXT: 'must not contain the user name, the local part of the e-mail or the name of the service',
} as const;

type PasswordRule = keyof typeof ruleMessages;

/** @returns every violated rule; none for an accepted password. The result never contains the password. */
export async function findViolations(typed: string, owner: PasswordOwner): Promise<PasswordRule[]> {
  const password = normalizePassword(typed);
  const length = countCodePoints(password);
  const folded = foldIdentifier(password);
  const violations: [PasswordRule, boolean][] = [
    ['PASSWORD_TOO_SHORT', length < minPasswordLength],
    ['PASSWORD_TOO_LONG', length > maxPasswordLength],
    ['PASSWORD_COMMON', length <= maxCommonPasswordLength && (await isCommon(password))],
    ['PASSWORD_CONTEXT', collectContextWords(owner).some((word) => folded.includes(word))],
  ];
  return violations.filter(([, isViolated]) => isViolated).map(([rule]) => rule);
}

/** Like `findViolations`, as messages: `must have at least 8 characters`. */
export async function describeViolations(password: string, owner: PasswordOwner): Promise<string[]> {
  return (await findViolations(password, owner)).map((rule) => ruleMessages[rule]);
}

/** @throws IamError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_COMMON, PASSWORD_CONTEXT: one item per violation. */
export async function assertPasswordPolicy(password: string, owner: PasswordOwner): Promise<void> {
  const errors = (await findViolations(password, owner)).map(
    (code): ApiErrorItem => ({ code, message: formatViolation(code) }),
  );
  throwAny(errors);
}

/** The error codes of `assertPasswordPolicy`, for declarations. */
export const passwordErrorCodes = Object.keys(ruleMessages) as PasswordRule[];

function formatViolation(code: PasswordRule): string {
  return `The password ${ruleMessages[code]}.`;
}

async function isCommon(password: string): Promise<boolean> {
  const { commonPasswords } = await import('./common-passwords.ts');
  return commonPasswords.has(password.toLowerCase());
}

function collectContextWords({ userName = '', userEmail = '' }: PasswordOwner): string[] {
  const words = [userName, localPart(userName), localPart(userEmail), ...serviceNames];
  return words.map(foldIdentifier).filter((word) => countCodePoints(word) >= minContextLength);
}

function localPart(email: string): string {
  const at = email.lastIndexOf('@');
  return at === -1 ? '' : email.slice(0, at);
}
