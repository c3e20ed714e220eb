/** Account recovery with a one-time code. Responses do not reveal whether an account exists. */
import { apiError } from '../../contract/errors.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { verifiedContacts } from '../messaging/contacts.ts';
import { type OtpBinding, sendOtp, subjectOfUnknownName, subjectOfUser } from '../mfa/otp.ts';
import { createDecoyContacts } from '../mfa/otp-decoys.ts';
import { consumeOtpRateLimit } from '../mfa/otp-rate-limit.ts';
import { resolveOtpSource } from '../mfa/otp-source.ts';
import type { OtpDeps } from '../mfa/otp-value.ts';
import type { Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { User } from '../store/tables.ts';
import { findUserByLogin } from '../users/users.ts';

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

/**
 * Sends a code to the verified main contacts of the user with this login name. Does the same work for an unknown name, a
 * locked user and a user without such a contact. Part of a transaction.
 * @returns the user, who may be locked. @throws IamError TOO_MANY_CODES, only for the limits of the name.
 */
export async function startRecovery(
  tx: Transaction,
  { loginName, deviceTokenId }: RecoveryRequest,
  deps: OtpDeps & { readonly source: RequestSource },
): Promise<User | undefined> {
  const digest = digestLoginName(loginName, deps.storeSecret);
  const user = await findUserByLogin(tx, loginName);
  const source = await resolveOtpSource(tx, user, deviceTokenId, deps);
  await consumeOtpRateLimit(tx, `asked:${digest}`, deps, { source });
  const contacts = user ? recoveryContacts(user) : [];
  const binding = toRecoveryBinding(user, loginName, deps.storeSecret);
  const decoys = createDecoyContacts(digest, maxContacts);
  // Limits of a contact are applied silently, because an error would reveal that the contact exists.
  await sendOtp(tx, { ...binding, contacts, decoys, source, quiet: true }, deps);
  return user;
}

function digestLoginName(loginName: string, key: StoreSecret): string {
  return key.digest('recovery', foldIdentifier(loginName));
}
