/** Whether the caller is still who it was when the call began: what is slow happens in between. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Transaction } from '../store/store.ts';
import { createAuthenticationError } from './authenticate.ts';
import type { Principal } from './principal.ts';
import { findActiveSession } from './sessions.ts';

/** A lock, a removal or the end of the session since then stops the call. @throws IamError TOKEN_INVALID. */
export async function revalidateCaller(tx: Transaction, caller: Principal, clock: Clock): Promise<void> {
  const { client, user, session } = caller;
  const isInvalid =
    !(await tx.clients.get(client.clientId)) ||
    (user && ((await tx.users.get(user.userId))?.locked ?? true)) ||
    (session && !(await findActiveSession(tx, session.sessionId, epochSeconds(clock))));
  if (isInvalid) throw createAuthenticationError('TOKEN_INVALID');
}
