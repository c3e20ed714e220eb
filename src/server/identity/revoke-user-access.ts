/** What a lock, a removal and a new password have in common: nothing that was begun before them goes on. */
import type { Transaction } from '../store/store.ts';
import { revokeOneTimeTokens } from './one-time-tokens.ts';
import { revokeOtps, subjectOfLogon, subjectOfUser } from './otp.ts';
import { endSessionsOfUser } from './sessions.ts';

/** Ends the sessions of a user, but for one that is to stay, with codes, single-use values and product tokens. */
export async function revokeUserAccess(tx: Transaction, userId: string, exceptSession?: string): Promise<void> {
  await endSessionsOfUser(tx, userId, exceptSession);
  await revokeOtps(tx, subjectOfUser(userId));
  const { legacyLogons = [] } = (await tx.users.get(userId)) ?? {};
  for (const logon of legacyLogons) await revokeOtps(tx, subjectOfLogon(logon));
  await revokeOneTimeTokens(tx, userId);
  for (const { tokenHash } of await tx.opaqueTokens.find('userId', userId)) await tx.opaqueTokens.delete(tokenHash);
}
