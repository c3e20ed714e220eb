/** Recovery of an account by a code: nobody learns by it who is there. */
import { fault } from '../../contract/errors.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Transaction } from '../store/store.ts';
import { foldIdentifier, type User } from '../store/tables.ts';
import { emailContact, verifiedContacts } from './contacts.ts';
import { type CodeHolder, sendCode, subjectOfNobody, subjectOfUser } from './otp.ts';
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
 * user without such a contact it makes a code and a message as well, which takes as long, and deletes the message. Part
 * of a transaction.
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
  // The limits of a contact would tell that it exists, so they are kept quietly.
  const quietly = { source, quiet: true };
  if (contacts.length > 0) {
    await sendCode(tx, { ...recoveryOf(user, asked, deps.storeKey), contacts, ...quietly }, deps);
    return user;
  }
  const nowhere = emailContact(`nobody:${digest}`);
  await sendCode(tx, { ...recoveryOf(undefined, asked, deps.storeKey), contacts: [nowhere], ...quietly }, deps);
  for (const { messageId } of await tx.messages.find('to', nowhere.to)) await tx.messages.delete(messageId);
  return user;
}

function digestOf(asked: string, key: StoreKey): string {
  return key.digest('recovery', foldIdentifier(asked));
}
