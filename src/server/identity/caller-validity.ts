/** Checks in the transaction that the caller is still valid, because slow work may precede the write. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Transaction } from '../store/store.ts';
import { createAuthenticationError } from './authenticate.ts';
import type { Principal } from './principal.ts';
import { findActiveSession } from './sessions.ts';

/** Rejects the request if the user was locked or removed, or the session ended, in the meantime. @throws IamError TOKEN_INVALID. */
export async function revalidateCaller(tx: Transaction, caller: Principal, clock: Clock): Promise<void> {
  const { client, user, session } = caller;
  const isInvalid =
    !(await tx.clients.get(client.clientId)) ||
    (user && ((await tx.users.get(user.userId))?.locked ?? true)) ||
    (session && !(await findActiveSession(tx, session.sessionId, epochSeconds(clock))));
  if (isInvalid) throw createAuthenticationError('TOKEN_INVALID');
}
