/** What comes with a new password, whichever way it is set. */
import type { Transaction } from '../store/store.ts';
import type { User } from '../store/tables.ts';
import { verifiedContacts } from './contacts.ts';
import { type MessageTools, queueMessage } from './messages.ts';
import { stopUser } from './stop-user.ts';

/**
 * Puts a new password in the place of the one before. What began with that one is over, but for one session that may
 * stay. Part of a transaction; `outbox.kept()` belongs after it.
 */
export async function replacePassword(
  tx: Transaction,
  user: User,
  passwordHash: string,
  tools: MessageTools,
  exceptSession?: string,
): Promise<void> {
  await tx.users.replace({ ...user, passwordHash });
  await stopUser(tx, user.userId, exceptSession);
  await announce(tx, user, 'The password of your account was changed.', tools);
}

/** Gives a user its first password. What the user began without one goes on. As part of a transaction, as above. */
export async function addPassword(
  tx: Transaction,
  user: User,
  passwordHash: string,
  tools: MessageTools,
): Promise<void> {
  await tx.users.replace({ ...user, passwordHash });
  await announce(tx, user, 'Your account has a password now.', tools);
}

/** Whoever did not do it himself is to hear of it, wherever he proved that he hears. */
async function announce(tx: Transaction, user: User, what: string, tools: MessageTools): Promise<void> {
  const text = `${what} If that was not you, have an administrator lock the account.`;
  for (const contact of verifiedContacts(user))
    await queueMessage(tx, { contact, purpose: 'password-changed', text }, tools);
}
