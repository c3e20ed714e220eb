/** Recovery of an account by a code: nobody learns by it who is there. */
import { apiError } from '../../contract/errors.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Transaction } from '../store/store.ts';
import { foldIdentifier, type User } from '../store/tables.ts';
import { verifiedContacts } from './contacts.ts';
import { type OtpBinding, sendOtp, subjectOfNobody, subjectOfUser } from './otp.ts';
import { createDecoyContacts } from './otp-decoys.ts';
import { consumeOtpRateLimit } from './otp-rate-limit.ts';
import { resolveOtpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import type { StoreSecret } from './store-secret.ts';
import { findUserByLogin } from './user-roles.ts';

/** What a code for recovery is bound to: the user, or a name without a user, as a digest. */
export function toRecoveryBinding(
  user: User | undefined,
  loginName: string,
  key: StoreSecret,
): OtpBinding & { loginSubject: string } {
  const digest = digestLoginName(loginName, key);
  const subject = user ? subjectOfUser(user.userId) : subjectOfNobody(digest);
  return { purpose: 'recovery', subject, loginSubject: `asked:${digest}` };
}

/** The e-mail and the mobile. */
const maxContacts = 2;

/** A user who may recover its account. @throws IamError CODE_INVALID, as for a wrong code. */
export function requireRecoverable(user: User | undefined): User {
  if (!user || user.locked) throw apiError('CODE_INVALID');
  return user;
}

/** Who asks for recovery, and for which login name. */
export interface RecoveryRequest {
  readonly loginName: string;
  readonly deviceTokenId?: string | undefined;
}

/**
 * Sends a code to the verified main contacts of the user with this login name. For an unknown name, a locked user and a
 * user without such a contact it does the same work. Part of a transaction.
 * @returns the user, who may be locked. @throws IamError TOO_MANY_CODES, by the limits of the name alone.
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
  const contacts = user && !user.locked ? verifiedContacts(user) : [];
  const binding = toRecoveryBinding(contacts.length > 0 ? user : undefined, loginName, deps.storeSecret);
  const decoys = createDecoyContacts(digest, maxContacts);
  // The limits of a contact would tell that it exists, so they are kept quietly.
  await sendOtp(tx, { ...binding, contacts, decoys, source, quiet: true }, deps);
  return user;
}

function digestLoginName(loginName: string, key: StoreSecret): string {
  return key.digest('recovery', foldIdentifier(loginName));
}
