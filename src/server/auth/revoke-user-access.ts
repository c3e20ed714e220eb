/** Shared by locks, removals and password changes: revokes everything that was issued before. */

import { endOverlapsOfUser } from '../directory/replaced-secrets.ts';
import { revokeOtps, subjectOfLogon, subjectOfUser } from '../mfa/otp.ts';
import { endSessionsOfUser } from '../sessions/end-sessions.ts';
import type { Transaction } from '../store/store.ts';
import { revokeOneTimeTokens } from '../tokens/one-time-tokens.ts';

/**
 * Ends the sessions of a user, optionally except one, deletes its codes, one-time tokens and product tokens, and ends the
 * overlaps of the secrets of its clients.
 */
export async function revokeUserAccess(tx: Transaction, userId: string, exceptSession?: string): Promise<void> {
  await endSessionsOfUser(tx, userId, exceptSession);
  await revokeOtps(tx, subjectOfUser(userId));
  const { legacyLogons = [] } = (await tx.users.get(userId)) ?? {};
  for (const logon of legacyLogons) await revokeOtps(tx, subjectOfLogon(logon));
  await revokeOneTimeTokens(tx, userId);
  await endOverlapsOfUser(tx, userId);
  for (const { tokenHash } of await tx.opaqueTokens.find('userId', userId)) await tx.opaqueTokens.delete(tokenHash);
}
