/** Recovery of an account by a code: nobody learns by it who is there. */
import { fault } from '../../contract/errors.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Transaction } from '../store/store.ts';
import { foldIdentifier, type User } from '../store/tables.ts';
import { verifiedContacts } from './contacts.ts';
import { type CodeHolder, sendCode, subjectOfNobody, subjectOfUser } from './otp.ts';
import { decoyContacts } from './otp-decoys.ts';
import { countSending } from './otp-rate-limit.ts';
import { otpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import type { StoreKey } from './store-key.ts';
import { findByLogin } from './users.ts';

/** What a code for recovery is bound to: the user, or a name without a user, as a digest. */
export function recoveryOf(user: User | undefined, asked: string, key: StoreKey): CodeHolder & { typed: string } {
  const digest = digestOf(asked, key);
  const subject = user ? subjectOfUser(user.userId) : subjectOfNobody(digest);
  return { purpose: 'recovery', subject, typed: `asked:${digest}` };
}

/** The e-mail and the mobile. */
const mostContacts = 2;

/** A user who may recover its account. @throws IamError CODE_INVALID, as for a wrong code. */
export function requireRecoverable(user: User | undefined): User {
  if (!user || user.locked) throw fault('CODE_INVALID');
  return user;
}

/** Who asks for recovery, and for which login name. */
export interface RecoveryRequest {
  readonly asked: string;
  readonly deviceTokenId?: string | undefined;
}

/**
 * Sends a code to the verified main contacts of the user with this login name. For an unknown name, a locked user and a
 * user without such a contact it does the same work. Part of a transaction.
 * @returns the user, who may be locked. @throws IamError TOO_MANY_CODES, by the limits of the name alone.
 */
export async function startRecovery(
  tx: Transaction,
  { asked, deviceTokenId }: RecoveryRequest,
  deps: OtpDeps & { readonly source: RequestSource },
): Promise<User | undefined> {
  const digest = digestOf(asked, deps.storeKey);
  const user = await findByLogin(tx, asked);
  const source = await otpSource(tx, user, deviceTokenId, deps);
  await countSending(tx, `asked:${digest}`, deps, { source });
  const contacts = user && !user.locked ? verifiedContacts(user) : [];
  const holder = recoveryOf(contacts.length > 0 ? user : undefined, asked, deps.storeKey);
  const decoys = decoyContacts(digest, mostContacts);
  // The limits of a contact would tell that it exists, so they are kept quietly.
  await sendCode(tx, { ...holder, contacts, decoys, source, quiet: true }, deps);
  return user;
}

function digestOf(asked: string, key: StoreKey): string {
  return key.digest('recovery', foldIdentifier(asked));
}
