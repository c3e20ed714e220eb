/** What comes with a new password, whichever way it is set. */
import type { RequestSource } from '../http/request-source.ts';
import type { Transaction } from '../store/store.ts';
import type { Session, User } from '../store/tables.ts';
import { type NoticeDeps, sendNotice } from './account-notices.ts';
import { verifiedContacts } from './contacts.ts';
import { callerKey, withOnlyKnownSources } from './known-sources.ts';
import { revokeUserAccess } from './revoke-user-access.ts';

export interface ReplacePasswordDeps extends NoticeDeps {
  readonly source: RequestSource;
}

/**
 * Puts a new password in the place of the one before. What began with that one is over, but for one session that may
 * stay, and of the known sources only the caller's stays, with the device that it proved. Part of a transaction; `outbox.wake()` belongs after it.
 */
export async function replacePassword(
  tx: Transaction,
  user: User,
  passwordHash: string,
  deps: ReplacePasswordDeps,
  except?: Partial<Pick<Session, 'sessionId' | 'deviceKey'>>,
): Promise<void> {
  const { deviceKey } = except ?? {};
  const known = [deps.source.key, ...(deviceKey === undefined ? [] : [callerKey(deps.source, { deviceKey })])];
  await tx.users.replace(withOnlyKnownSources({ ...user, passwordHash }, known, deps));
  await revokeUserAccess(tx, user.userId, except?.sessionId);
  await notifyPasswordChange(tx, user, 'The password of your account was changed.', deps);
}

/** Gives a user its first password. What the user began without one goes on. As part of a transaction, as above. */
export async function addPassword(tx: Transaction, user: User, passwordHash: string, deps: NoticeDeps): Promise<void> {
  await tx.users.replace({ ...user, passwordHash });
  await notifyPasswordChange(tx, user, 'Your account has a password now.', deps);
}

/** Notifies the user at its verified contacts, since another one may have set the password. */
async function notifyPasswordChange(tx: Transaction, user: User, what: string, deps: NoticeDeps): Promise<void> {
  const text = `${what} If that was not you, have an administrator lock the account.`;
  for (const contact of verifiedContacts(user))
    await sendNotice(tx, { contact, purpose: 'password-changed', text }, deps);
}
