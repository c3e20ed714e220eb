/** Proving that a contact is one's own: a code goes there, and comes back. */
import type { RequestSource } from '../http/request-source.ts';
import { contactOf, markVerified, requireFactor } from './factors.ts';
import { sendCode, subjectOfUser, takeCode } from './otp.ts';
import { otpSourceInSession, unknownSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import { type Principal, requireUserCaller } from './principal.ts';
import { requireStanding } from './standing.ts';
import { giveTicket } from './tickets.ts';

/** What a code for a contact is bound to: user and contact, whichever session asked for it. */
function holderOf(userId: string, factorId: string) {
  return { purpose: 'factor', subject: subjectOfUser(userId), target: factorId } as const;
}

interface FactorDeps extends OtpDeps {
  readonly source: RequestSource;
}

/** Sends a code to a factor of the caller. @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, TOO_MANY_CODES. */
export async function sendFactorCode(tools: FactorDeps, caller: Principal, factorId: string): Promise<void> {
  await tools.store.transaction(async (tx) => {
    const { user, session } = await requireStanding(tx, caller, tools.clock);
    const factor = await requireFactor(tx, user, caller.client, factorId);
    // Until it is proven, the contact may be that of another person, whom the limits protect.
    const source = factor.verified ? await otpSourceInSession(tx, user, session, tools) : unknownSource(tools);
    await sendCode(tx, { ...holderOf(user.userId, factor.id), contacts: [contactOf(factor)], source }, tools);
  });
  tools.outbox.kept();
}

/**
 * Takes the code of a factor, which is verified from then on, for a single-use value of the caller's session.
 * @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, CODE_INVALID, CODE_FAILURES; LOGIN_NAME_TAKEN where a
 *   main e-mail was proved by another user before, and the code stays good then.
 */
export async function proveFactor(
  tools: FactorDeps,
  caller: Principal,
  factorId: string,
  code: string,
): Promise<{ readonly challengeId: string }> {
  const { user: called, session: calling } = requireUserCaller(caller);
  await requireFactor(tools.store, called, caller.client, factorId);
  const source = await otpSourceInSession(tools.store, called, calling, tools);
  return takeCode({ ...holderOf(called.userId, factorId), code, source }, tools, async (tx) => {
    const { user, session } = await requireStanding(tx, caller, tools.clock);
    await markVerified(tx, user, await requireFactor(tx, user, caller.client, factorId));
    const { userId } = user;
    const { sessionId, clientId } = session;
    const { value } = await giveTicket(tx, { kind: 'auth-smart', userId, sessionId, clientId }, tools);
    return { challengeId: value };
  });
}
