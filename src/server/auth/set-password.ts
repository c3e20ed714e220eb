/** Shared by all operations that set a password. */
import type { RequestSource } from '../lib/request-source.ts';
import { verifiedContacts } from '../messaging/contacts.ts';
import { withoutConsents } from '../sessions/consents.ts';
import { callerKey, listMfaKeys, withOnlyKnownSources } from '../sessions/known-sources.ts';
import type { Transaction } from '../store/store.ts';
import type { Session, User } from '../store/tables.ts';
import { describeFactors, type NoticeDeps, sendNotice } from '../users/account-notices.ts';
import { withPassword } from '../users/users.ts';
import { revokeUserAccess } from './revoke-user-access.ts';

export interface ReplacePasswordDeps extends NoticeDeps {
  /** The address of the user itself; undefined if an administrator sets the password. */
  readonly source: RequestSource | undefined;
}

/**
 * Replaces the password of a user. Revokes everything issued before, optionally except one session, and all consents. Of the
 * known sources only the user's address and its authenticated device remain; those known by a second factor all remain if the
 * session is below AUTH-MFA, so that a thief of the password cannot remove them. Part of a transaction; call `outbox.wake()`
 * after it.
 */
export async function replacePassword(
  tx: Transaction,
  user: User,
  passwordHash: string,
  deps: ReplacePasswordDeps,
  except: Partial<Pick<Session, 'sessionId' | 'deviceKey' | 'deviceTokenHash'>> = {},
  { keepsMfaSources = false }: { readonly keepsMfaSources?: boolean } = {},
): Promise<void> {
  const sourceKeys = listSourceKeys(deps.source, except.deviceKey);
  const mfaKeys = keepsMfaSources ? 'all' : deps.source ? listMfaKeys(deps.source, except) : [];
  const changed = withoutConsents(withPassword(user, passwordHash));
  await tx.users.replace(withOnlyKnownSources(changed, sourceKeys, deps, mfaKeys));
  await revokeUserAccess(tx, user.userId, except.sessionId);
  const factors = describeFactors({ user, factors: await tx.factors.find('userId', user.userId) });
  await notifyPasswordChange(tx, user, `The password of your account was changed. ${factors}`, deps);
}

function listSourceKeys(source: RequestSource | undefined, deviceKey: string | undefined): string[] {
  if (!source) return [];
  return [source.key, ...(deviceKey === undefined ? [] : [callerKey(source, { deviceKey })])];
}

/** Sets the first password of a user. Existing sessions and codes remain valid. Part of a transaction, as above. */
export async function addPassword(tx: Transaction, user: User, passwordHash: string, deps: NoticeDeps): Promise<void> {
  await tx.users.replace(withPassword(user, passwordHash));
  await notifyPasswordChange(tx, user, 'A password was set for your account.', deps);
}

/** Notifies the user at its verified contacts, because someone else may have set the password. */
async function notifyPasswordChange(tx: Transaction, user: User, change: string, deps: NoticeDeps): Promise<void> {
  const text = `${change} If that was not you, have an administrator lock the account.`;
  for (const contact of verifiedContacts(user))
    await sendNotice(tx, { contact, purpose: 'password-changed', text }, deps);
}
