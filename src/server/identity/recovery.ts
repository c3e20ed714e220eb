/** Recovery of an account by a code: nobody learns by it who is there. */
import { fault } from '../../contract/errors.ts';
import type { Transaction } from '../store/store.ts';
import { foldIdentifier, type User } from '../store/tables.ts';
import { type CodeHolder, type CodeTools, sendCode, subjectOfNobody, subjectOfUser } from './codes.ts';
import { emailContact, verifiedContacts } from './contacts.ts';
import { countSending } from './sendings.ts';
import type { StoreKey } from './store-key.ts';
import { findByLogin } from './users.ts';

/** What a code for recovery is bound to: the user, or the name that leads to nobody, which is kept as a digest. */
export function recoveryOf(user: User | undefined, asked: string, key: StoreKey): CodeHolder {
  const subject = user ? subjectOfUser(user.userId) : subjectOfNobody(digestOf(asked, key));
  return { purpose: 'recovery', subject };
}

/** A user who may recover its account. @throws IamError CODE_INVALID, as for a wrong code. */
export function requireRecoverable(user: User | undefined): User {
  if (!user || user.locked) throw fault('CODE_INVALID');
  return user;
}

/**
 * Sends a code to the verified main contacts of whoever logs in under this name. For nobody, for a locked user and for
 * one without such a contact it makes a code and a message as well, which takes as long, and throws the message away.
 * Part of a transaction.
 * @returns the user, who may be locked. @throws IamError TOO_MANY_CODES: the sixth time within an hour for this name.
 */
export async function startRecovery(tx: Transaction, asked: string, tools: CodeTools): Promise<User | undefined> {
  const digest = digestOf(asked, tools.storeKey);
  await countSending(tx, `asked:${digest}`, tools);
  const user = await findByLogin(tx, asked);
  const contacts = user && !user.locked ? verifiedContacts(user) : [];
  // What a contact had its fill of is no business of who asks: the limit of the name is the same for everybody.
  const quietly = { quiet: true };
  if (contacts.length > 0) {
    await sendCode(tx, recoveryOf(user, asked, tools.storeKey), contacts, tools, quietly);
    return user;
  }
  const nowhere = emailContact(`nobody:${digest}`);
  await sendCode(tx, recoveryOf(undefined, asked, tools.storeKey), [nowhere], tools, quietly);
  for (const { messageId } of await tx.messages.find('to', nowhere.to)) await tx.messages.delete(messageId);
  return user;
}

function digestOf(asked: string, key: StoreKey): string {
  return key.digest('recovery', foldIdentifier(asked));
}
