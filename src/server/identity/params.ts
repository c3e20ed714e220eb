/** Redeeming what stands for a signed-in user: the other half of generate-param. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Session, Ticket, User } from '../store/tables.ts';
import { unauthenticated } from './authenticate.ts';
import { deviceOf } from './devices.ts';
import { levelOf, sessionInForce, startSession } from './sessions.ts';
import { takeTicket } from './tickets.ts';

interface Tools {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** What the redeeming client shows. */
export interface ShownParam {
  readonly param: string;
  readonly clientId: string;
  readonly deviceTokenId?: string | undefined;
}

/**
 * A new session of the user that the value stands for. What is refused is not used up by it.
 * @throws IamError CREDENTIALS_INVALID, whatever is wrong.
 */
export async function redeemParam(
  tx: Transaction,
  { param, clientId, deviceTokenId }: ShownParam,
  tools: Tools,
): Promise<{ readonly user: User; readonly session: Session }> {
  const ticket = await takeTicket(tx, 'param', param, tools.clock);
  if (!ticket || (ticket.targetClientId ?? clientId) !== clientId) throw unauthenticated('CREDENTIALS_INVALID');
  const now = epochSeconds(tools.clock);
  const { user, source } = await requireSource(tx, ticket, now);
  const device = deviceTokenId === undefined ? undefined : await deviceOf(tx, user.userId, deviceTokenId);
  const { session } = await startSession(
    tx,
    {
      clientId,
      userId: user.userId,
      level: levelOf(source, now),
      remember: false,
      renewable: false,
      scope: ticket.scope,
      logon: source.logon,
      deviceKey: device?.deviceKey,
      from: source,
    },
    tools,
  );
  return { user, session };
}

/** The session that the value comes from and its user, as they are now. */
async function requireSource(
  reader: Pick<Reader, 'users' | 'sessions'>,
  { userId = '', sessionId = '' }: Ticket,
  now: number,
): Promise<{ readonly user: User; readonly source: Session }> {
  const user = await reader.users.get(userId);
  const source = await sessionInForce(reader, sessionId, now);
  if (!user || user.locked || source?.userId !== userId) throw unauthenticated('CREDENTIALS_INVALID');
  return { user, source };
}
