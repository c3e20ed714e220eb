/** Proving that a contact is one's own: a code goes there, and comes back. */
import { type CodeTools, sendCode, subjectOfUser, takeCode } from './codes.ts';
import { contactOf, markVerified, requireFactor } from './factors.ts';
import { type Principal, requireUserCaller } from './principal.ts';
import { requireStanding } from './standing.ts';
import { giveTicket } from './tickets.ts';

/** What a code for a contact is bound to: user and contact, whichever session asked for it. */
function holderOf(userId: string, factorId: string) {
  return { purpose: 'factor', subject: subjectOfUser(userId), target: factorId } as const;
}

/** Sends a code to a factor of the caller. @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, TOO_MANY_CODES. */
export async function sendFactorCode(tools: CodeTools, caller: Principal, factorId: string): Promise<void> {
  await tools.store.transaction(async (tx) => {
    const { user } = await requireStanding(tx, caller, tools.clock);
    const factor = await requireFactor(tx, user, caller.client, factorId);
    await sendCode(tx, holderOf(user.userId, factor.id), [contactOf(factor)], tools);
  });
  tools.outbox.kept();
}

/**
 * Takes the code of a factor, which is verified from then on, for a single-use value of the caller's session.
 * @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, CODE_INVALID, CODE_FAILURES; LOGIN_NAME_TAKEN where a
 *   main e-mail was proved by another user before, and the code stays good then.
 */
export async function proveFactor(
  tools: CodeTools,
  caller: Principal,
  factorId: string,
  code: string,
): Promise<{ readonly challengeId: string }> {
  const called = requireUserCaller(caller).user;
  await requireFactor(tools.store, called, caller.client, factorId);
  return takeCode({ ...holderOf(called.userId, factorId), code }, tools, async (tx) => {
    const { user, session } = await requireStanding(tx, caller, tools.clock);
    await markVerified(tx, user, await requireFactor(tx, user, caller.client, factorId));
    const { userId } = user;
    const { sessionId, clientId } = session;
    const { value } = await giveTicket(tx, { kind: 'auth-smart', userId, sessionId, clientId }, tools);
    return { challengeId: value };
  });
}
