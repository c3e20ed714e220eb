/** Whether the caller is still who it was when the call began: what is slow happens in between. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Transaction } from '../store/store.ts';
import { unauthenticated } from './authenticate.ts';
import type { Principal } from './principal.ts';
import { sessionInForce } from './sessions.ts';

/** A lock, a removal or the end of the session since then stops the call. @throws IamError TOKEN_INVALID. */
export async function requireStillCalling(tx: Transaction, caller: Principal, clock: Clock): Promise<void> {
  const { client, user, session } = caller;
  const lost =
    !(await tx.clients.get(client.clientId)) ||
    (user && ((await tx.users.get(user.userId))?.locked ?? true)) ||
    (session && !(await sessionInForce(tx, session.sessionId, epochSeconds(clock))));
  if (lost) throw unauthenticated('TOKEN_INVALID');
}
