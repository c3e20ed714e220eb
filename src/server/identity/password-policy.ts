/**
 * What a new password of a user must be, wherever it comes from: operations, seed and settings. Eight to 128 code points;
 * none of the common ones; nothing that the account tells. It is taken as it was sent: not trimmed, not cut, not folded,
 * not normalised, so that a composed and a decomposed é are two passwords. Only the comparisons of the rules fold.
 */
import { type ApiErrorItem, IamError } from '../../contract/errors.ts';
import { foldIdentifier } from '../store/tables.ts';

/** What of an account must not be in its password. */
export interface PasswordOwner {
  readonly userName?: string | undefined;
  readonly userEmail?: string | undefined;
}

const minPasswordLength = 8;
export const maxPasswordLength = 128;
/** No common one is longer, so nobody waits for the list over a longer one. */
const maxCommonPasswordLength = 20;
/** Shorter names are in too many words to tell anything. */
const minContextLength = 3;
const serviceNames = ['iam-standin', 'iamstandin'];

/** Each rule that a password can break, in words that follow the name of what is wrong. */
const ruleMessages = {
  PASSWORD_TOO_SHORT: `must have at least ${minPasswordLength} characters`,
  PASSWORD_TOO_LONG: `must not be longer than ${maxPasswordLength} characters`,
  PASSWORD_COMMON: 'must not be one of the common ones, which are tried first',
  PASSWORD_CONTEXT: 'must not contain the user name, the local part of the e-mail or the name of the service',
} as const;

type PasswordRule = keyof typeof ruleMessages;

/** @returns every rule that a password breaks; none for a good one. Nothing of the password is repeated. */
export async function findViolations(password: string, owner: PasswordOwner): Promise<PasswordRule[]> {
  const length = countCodePoints(password);
  const folded = foldIdentifier(password);
  const violations: [PasswordRule, boolean][] = [
    ['PASSWORD_TOO_SHORT', length < minPasswordLength],
    ['PASSWORD_TOO_LONG', length > maxPasswordLength],
    ['PASSWORD_COMMON', length <= maxCommonPasswordLength && (await isCommon(password))],
    ['PASSWORD_CONTEXT', collectContextWords(owner).some((word) => folded.includes(word))],
  ];
  return violations.filter(([, holds]) => holds).map(([rule]) => rule);
}

/** As `brokenRules`, in words: `must have at least 8 characters`. */
export async function describeViolations(password: string, owner: PasswordOwner): Promise<string[]> {
  return (await findViolations(password, owner)).map((rule) => ruleMessages[rule]);
}

/** @throws IamError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_COMMON, PASSWORD_CONTEXT: each one that holds. */
export async function assertPasswordPolicy(password: string, owner: PasswordOwner): Promise<void> {
  const faults = (await findViolations(password, owner)).map(
    (code): ApiErrorItem => ({ code, message: formatViolation(code) }),
  );
  const [first, ...others] = faults;
  if (first) throw new IamError([first, ...others]);
}

/** The codes of `requireGoodPassword`, for declarations. */
export const passwordErrorCodes = Object.keys(ruleMessages) as PasswordRule[];

/** The rule on length alone, which needs nothing to be looked up. */
export function validatePasswordLength(password: string): string | undefined {
  const length = countCodePoints(password);
  if (length < minPasswordLength) return ruleMessages.PASSWORD_TOO_SHORT;
  return length > maxPasswordLength ? ruleMessages.PASSWORD_TOO_LONG : undefined;
}

/** Whether no password is that long: then it is compared with none. */
export function isPasswordTooLong(password: string): boolean {
  return countCodePoints(password) > maxPasswordLength;
}

function formatViolation(code: PasswordRule): string {
  return `The password ${ruleMessages[code]}.`;
}

/** In code points: what somebody types as one character counts as one, but for those that are put together of several. */
function countCodePoints(password: string): number {
  return [...password].length;
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
