/** Sign-up with a code to a contact, which verifies it. */
import type { RequestSource } from '../lib/request-source.ts';
import type { HashFlow } from '../limits/hash-queue.ts';
import { type Contact, emailContact, mobileContact } from '../messaging/contacts.ts';
import {
  consumeFirstMatchingOtp,
  type OtpCheck,
  type OtpTransaction,
  sendOtp,
  subjectOfContact,
  verifyOtp,
} from '../mfa/otp.ts';
import { createUnknownSource } from '../mfa/otp-source.ts';
import type { OtpDeps } from '../mfa/otp-value.ts';
import type { Transaction } from '../store/store.ts';
import type { Otp, User } from '../store/tables.ts';
import type { NoticeDeps } from '../users/account-notices.ts';
import { assertPasswordPolicy } from '../users/password-policy.ts';
import type { Passwords } from '../users/passwords.ts';
import { assertUserNameForm, buildUser, insertUser, type NewUser, normalizeNewUserName } from '../users/users.ts';
import { addPassword } from './set-password.ts';

type SignUpDeps = OtpDeps & { readonly source: RequestSource };

/**
 * Sends a code to a contact, whether or not a user has it. @throws IamError TOO_MANY_CODES.
 */
export async function sendSignUpCode(deps: SignUpDeps, contact: Contact): Promise<OtpTransaction> {
  const holder = { purpose: 'sign-up', subject: subjectOfContact(contact) } as const;
  const request = { ...holder, contacts: [contact], source: createUnknownSource(deps) };
  const sent = await deps.store.transaction((tx) => sendOtp(tx, request, deps));
  deps.outbox.wake();
  return sent;
}

/** A new user with unverified contacts. @throws IamError NAME_NOT_VISIBLE, USER_NAME_RESERVED. */
export function draftUser(fields: NewUser, deps: Parameters<typeof buildUser>[1]): User {
  const userName = normalizeNewUserName(fields.userName);
  assertUserNameForm(userName, fields.userEmail);
  return buildUser({ ...fields, userName }, deps);
}

/**
 * Consumes a code to one of the contacts of a user, which is verified by it.
 * @throws IamError CODE_INVALID, CODE_FAILURES; any error of `work`, after which the code remains valid.
 */
export function consumeSignUpCode<Result>(
  deps: SignUpDeps,
  user: User,
  code: string,
  work: (tx: Transaction, user: User) => Promise<Result>,
): Promise<Result> {
  const { userEmail = '', userMobile } = user;
  const email = createCheck(deps, emailContact(userEmail), code);
  // It may have been sent to either.
  const mobile = userMobile === undefined ? [] : [createCheck(deps, mobileContact(userMobile), code)];
  return consumeFirstMatchingOtp([email, ...mobile], deps, (tx, otp) => work(tx, withVerifiedContact(otp, user)));
}

function createCheck(deps: SignUpDeps, contact: Contact, code: string): OtpCheck {
  return { purpose: 'sign-up', subject: subjectOfContact(contact), code, source: createUnknownSource(deps) };
}

/** Marks the contact that the code was sent to as verified. */
function withVerifiedContact({ subject }: Otp, user: User): User {
  const isEmail = subject === subjectOfContact(emailContact(user.userEmail ?? ''));
  return { ...user, emailVerified: isEmail, mobileVerified: !isEmail };
}

export interface SignUp {
  readonly userName: string;
  readonly userEmail: string;
  readonly code: string;
  readonly password: string;
}

/**
 * Creates a user with a password. Nothing about names is revealed without the code, and no error consumes it.
 * @throws IamError CODE_INVALID, CODE_FAILURES, NAME_NOT_VISIBLE, USER_NAME_RESERVED, LOGIN_NAME_TAKEN, PASSWORD_*, TOO_BUSY.
 */
export async function signUp(
  deps: SignUpDeps &
    Parameters<typeof buildUser>[1] &
    NoticeDeps & { readonly passwords: Pick<Passwords, 'hash'>; readonly hashFlow: HashFlow },
  { userName, userEmail, code, password }: SignUp,
): Promise<User> {
  await verifyOtp(createCheck(deps, emailContact(userEmail), code), deps);
  const user: User = { ...draftUser({ userName, userEmail, lead: false }, deps), selfRegistered: true };
  await assertPasswordPolicy(password, user);
  const passwordHash = await deps.passwords.hash(password, deps.hashFlow);
  await consumeSignUpCode(deps, user, code, async (tx, verified) => {
    await insertUser(tx, verified);
    await addPassword(tx, verified, passwordHash, deps);
  });
  deps.outbox.wake();
  return user;
}
