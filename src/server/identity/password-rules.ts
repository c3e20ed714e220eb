/**
 * What a new password of a user must be, wherever it comes from: operations, seed and settings. Eight to 128 code points;
 * none of the common ones; nothing that the account tells. It is taken as it was sent: not trimmed, not cut, not folded,
 * not normalised, so that a composed and a decomposed é are two passwords. Only the comparisons of the rules fold.
 */
import { type Fault, IamError } from '../../contract/errors.ts';
import { foldIdentifier } from '../store/tables.ts';

/** What of an account must not be in its password. */
export interface PasswordOwner {
  readonly userName?: string | undefined;
  readonly userEmail?: string | undefined;
}

const shortest = 8;
export const longestPassword = 128;
/** No common one is longer, so nobody waits for the list over a longer one. */
const longestCommon = 20;
/** Shorter names are in too many words to tell anything. */
const shortestContext = 3;
const serviceNames = ['iam-standin', 'iamstandin'];

/** Each rule that a password can break, in words that follow the name of what is wrong. */
const rules = {
  PASSWORD_TOO_SHORT: `must have at least ${shortest} characters`,
  PASSWORD_TOO_LONG: `must not be longer than ${longestPassword} characters`,
  PASSWORD_COMMON: 'must not be one of the common ones, which are tried first',
  PASSWORD_CONTEXT: 'must not contain the user name, the local part of the e-mail or the name of the service',
} as const;

type Rule = keyof typeof rules;

/** @returns every rule that a password breaks; none for a good one. Nothing of the password is repeated. */
export async function brokenRules(password: string, owner: PasswordOwner): Promise<Rule[]> {
  const length = lengthOf(password);
  const folded = foldIdentifier(password);
  const broken: [Rule, boolean][] = [
    ['PASSWORD_TOO_SHORT', length < shortest],
    ['PASSWORD_TOO_LONG', length > longestPassword],
    ['PASSWORD_COMMON', length <= longestCommon && (await isCommon(password))],
    ['PASSWORD_CONTEXT', contextOf(owner).some((word) => folded.includes(word))],
  ];
  return broken.filter(([, holds]) => holds).map(([rule]) => rule);
}

/** As `brokenRules`, in words: `must have at least 8 characters`. */
export async function weaknessesOf(password: string, owner: PasswordOwner): Promise<string[]> {
  return (await brokenRules(password, owner)).map((rule) => rules[rule]);
}

/** @throws IamError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_COMMON, PASSWORD_CONTEXT: each one that holds. */
export async function requireGoodPassword(password: string, owner: PasswordOwner): Promise<void> {
  const faults = (await brokenRules(password, owner)).map((code): Fault => ({ code, message: saying(code) }));
  const [first, ...others] = faults;
  if (first) throw new IamError([first, ...others]);
}

/** The codes of `requireGoodPassword`, for declarations. */
export const passwordErrors = Object.keys(rules) as Rule[];

/** The rule on length alone, which needs nothing to be looked up. */
export function lengthWeakness(password: string): string | undefined {
  const length = lengthOf(password);
  if (length < shortest) return rules.PASSWORD_TOO_SHORT;
  return length > longestPassword ? rules.PASSWORD_TOO_LONG : undefined;
}

/** Whether no password is that long: then it is compared with none. */
export function isTooLong(password: string): boolean {
  return lengthOf(password) > longestPassword;
}

function saying(code: Rule): string {
  return `The password ${rules[code]}.`;
}

/** In code points: what somebody types as one character counts as one, but for those that are put together of several. */
function lengthOf(password: string): number {
  return [...password].length;
}

async function isCommon(password: string): Promise<boolean> {
  const { commonPasswords } = await import('./common-passwords.ts');
  return commonPasswords.has(password.toLowerCase());
}

function contextOf({ userName = '', userEmail = '' }: PasswordOwner): string[] {
  const words = [userName, localPart(userName), localPart(userEmail), ...serviceNames];
  return words.map(foldIdentifier).filter((word) => lengthOf(word) >= shortestContext);
}

function localPart(email: string): string {
  const at = email.lastIndexOf('@');
  return at === -1 ? '' : email.slice(0, at);
}
