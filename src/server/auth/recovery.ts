/** Account recovery with a one-time code. Responses do not reveal whether an account exists. */
import { apiError } from '../../contract/errors.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { HashFlow } from '../limits/hash-queue.ts';
import { type Contact, verifiedContacts } from '../messaging/contacts.ts';
import { clearSecondFactorLimits } from '../mfa/mfa.ts';
import { consumeOtp, type OtpBinding, sendOtp, subjectOfUnknownName, subjectOfUser, verifyOtp } from '../mfa/otp.ts';
import { createDecoyContacts } from '../mfa/otp-decoys.ts';
import { consumeOtpRateLimit } from '../mfa/otp-rate-limit.ts';
import { resolveOtpSource } from '../mfa/otp-source.ts';
import type { OtpDeps } from '../mfa/otp-value.ts';
import { toDeviceBinding } from '../sessions/devices.ts';
import type { Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { User } from '../store/tables.ts';
import { assertPasswordPolicy } from '../users/password-policy.ts';
import type { Passwords } from '../users/passwords.ts';
import { findUserByLogin } from '../users/users.ts';
import type { Authentication } from './authenticate.ts';
import { clearCreations, type GrowthDeps } from './limit-creations.ts';
import { type ReplacePasswordDeps, replacePassword } from './set-password.ts';

/** What a recovery code is bound to: the user, or the digest of a name without a user who can receive codes. */
export function toRecoveryBinding(
  user: User | undefined,
  loginName: string,
  key: StoreSecret,
): OtpBinding & { loginSubject: string } {
  const digest = digestLoginName(loginName, key);
  const subject = user && recoveryContacts(user).length > 0 ? subjectOfUser(user.userId) : subjectOfUnknownName(digest);
  return { purpose: 'recovery', subject, loginSubject: `asked:${digest}` };
}

/** Where a user receives recovery codes; a locked user does not. */
const recoveryContacts = (user: User) => (user.locked ? [] : verifiedContacts(user));

/** The e-mail and the mobile. */
const maxContacts = 2;

/** Returns the user if it may recover its account. @throws IamError CODE_INVALID, as for a wrong code. */
export function requireRecoverable(user: User | undefined): User {
  if (!user || user.locked) throw apiError('CODE_INVALID');
  return user;
}

export interface RecoveryRequest {
  readonly loginName: string;
  readonly deviceTokenId?: string | undefined;
}

export interface StartedRecovery {
  /** May be locked. */
  readonly user: User | undefined;
  /** Where the code goes. */
  readonly contacts: readonly Contact[];
  readonly codeId: string;
}

/**
 * Sends a code to the verified main contacts of the user with this login name. Does the same work for an unknown name, a
 * locked user and a user without such a contact. Part of a transaction.
 * @throws IamError TOO_MANY_CODES, only for the limits of the name.
 */
export async function startRecovery(
  tx: Transaction,
  { loginName, deviceTokenId }: RecoveryRequest,
  deps: OtpDeps & { readonly source: RequestSource },
): Promise<StartedRecovery> {
  const digest = digestLoginName(loginName, deps.storeSecret);
  const user = await findUserByLogin(tx, loginName);
  const source = await resolveOtpSource(tx, user, deviceTokenId, deps);
  await consumeOtpRateLimit(tx, `asked:${digest}`, deps, { source });
  const contacts = user ? recoveryContacts(user) : [];
  const binding = toRecoveryBinding(user, loginName, deps.storeSecret);
  const decoys = createDecoyContacts(digest, maxContacts);
  // Limits of a contact are applied silently, because an error would reveal that the contact exists.
  const { codeId } = await sendOtp(tx, { ...binding, contacts, decoys, source, quiet: true }, deps);
  return { user, contacts, codeId };
}

export interface PasswordReset extends RecoveryRequest {
  readonly code: string;
  readonly newPassword: string;
}

interface ResetDeps extends OtpDeps, ReplacePasswordDeps, GrowthDeps {
  readonly source: RequestSource;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly hashFlow: HashFlow;
  readonly authentication: Authentication;
}

/**
 * Sets a new password with the code of `startRecovery`, which ends all sessions of the user. A weak password does not
 * consume the code.
 * @throws IamError CODE_INVALID, CODE_FAILURES, PASSWORD_*, TOO_BUSY.
 */
export async function resetPassword(
  deps: ResetDeps,
  { loginName, code, newPassword, deviceTokenId }: PasswordReset,
): Promise<User> {
  const target = await findUserByLogin(deps.store, loginName);
  const source = await resolveOtpSource(deps.store, target, deviceTokenId, deps);
  const check = { ...toRecoveryBinding(target, loginName, deps.storeSecret), code, source };
  await verifyOtp(check, deps);
  const user = requireRecoverable(target);
  await assertPasswordPolicy(newPassword, user);
  const passwordHash = await deps.passwords.hash(newPassword, deps.hashFlow);
  await consumeOtp(check, deps, async (tx) => {
    const current = requireRecoverable(await tx.users.get(user.userId));
    await replacePassword(tx, current, passwordHash, deps, source.device && toDeviceBinding(source.device));
    if (await clearSecondFactorLimits(tx, current, deps)) clearCreations(deps, current);
  });
  await deps.authentication.throttles.clear(user);
  deps.outbox.wake();
  return user;
}

function digestLoginName(loginName: string, key: StoreSecret): string {
  return key.digest('recovery', foldIdentifier(loginName));
}
