/** Whether whoever calls still is signed in when its wish is granted. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Transaction } from '../store/store.ts';
import type { Session, User } from '../store/tables.ts';
import { unauthenticated } from './authenticate.ts';
import { sessionInForce } from './sessions.ts';

/**
 * The user of a session as it is now, inside the transaction of what the user asks for: a lock, a removal or the end of
 * the session since the call began stops it. @throws IamError TOKEN_INVALID.
 */
export async function requireSignedIn(tx: Transaction, { sessionId }: Session, clock: Clock): Promise<User> {
  const session = await sessionInForce(tx, sessionId, epochSeconds(clock));
  const user = session?.userId === undefined ? undefined : await tx.users.get(session.userId);
  if (!user || user.locked) throw unauthenticated('TOKEN_INVALID');
  return user;
}
