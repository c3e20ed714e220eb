/** What a lock, a removal and a new password have in common: nothing that was begun before them goes on. */
import type { Transaction } from '../store/store.ts';
import { subjectOfLogon, subjectOfUser, voidCodes } from './otp.ts';
import { endSessionsOfUser } from './sessions.ts';
import { voidTickets } from './tickets.ts';

/** Ends the sessions of a user, but for one that is to stay, with codes, single-use values and product tokens. */
export async function stopUser(tx: Transaction, userId: string, exceptSession?: string): Promise<void> {
  await endSessionsOfUser(tx, userId, exceptSession);
  await voidCodes(tx, subjectOfUser(userId));
  const { legacyLogons = [] } = (await tx.users.get(userId)) ?? {};
  for (const logon of legacyLogons) await voidCodes(tx, subjectOfLogon(logon));
  await voidTickets(tx, userId);
  for (const { tokenHash } of await tx.opaqueTokens.find('userId', userId)) await tx.opaqueTokens.delete(tokenHash);
}
