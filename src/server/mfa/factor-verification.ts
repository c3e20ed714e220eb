/** Verifies that a contact belongs to the user, with a one-time code sent to it. */

import { type Principal, requireUserCaller } from '../directory/principal.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { revalidateUserCaller } from '../sessions/revalidate-caller.ts';
import { issueOneTimeToken } from '../tokens/one-time-tokens.ts';
import { contactOf, markFactorVerified, requireFactor } from './factors.ts';
import { consumeOtp, sendOtp, subjectOfUser } from './otp.ts';
import { createUnknownSource, resolveSessionOtpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';

/** A code for a contact is bound to the user and the contact, not to the session that requested it. */
function toOtpBinding(userId: string, factorId: string) {
  return { purpose: 'factor', subject: subjectOfUser(userId), target: factorId } as const;
}

interface FactorDeps extends OtpDeps {
  readonly source: RequestSource;
}

/** Sends a code to a factor of the caller. @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, TOO_MANY_CODES. */
export async function sendFactorOtp(deps: FactorDeps, caller: Principal, factorId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const { user, session } = await revalidateUserCaller(tx, caller, deps.clock);
    const factor = await requireFactor(tx, user, caller.client, factorId);
    // An unverified contact may belong to another person: apply the limits of an unknown source to protect that person.
    const source = factor.verified ? await resolveSessionOtpSource(tx, user, session, deps) : createUnknownSource(deps);
    await sendOtp(tx, { ...toOtpBinding(user.userId, factor.id), contacts: [contactOf(factor)], source }, deps);
  });
  deps.outbox.wake();
}

/**
 * Verifies a factor with its code and returns a one-time token bound to the caller's session.
 * @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, CODE_INVALID, CODE_FAILURES; LOGIN_NAME_TAKEN if
 *   another user has verified the same main e-mail; the code then remains valid.
 */
export async function verifyFactor(
  deps: FactorDeps,
  caller: Principal,
  factorId: string,
  code: string,
): Promise<{ readonly challengeId: string }> {
  const { user: callingUser, session: callingSession } = requireUserCaller(caller);
  await requireFactor(deps.store, callingUser, caller.client, factorId);
  const source = await resolveSessionOtpSource(deps.store, callingUser, callingSession, deps);
  return consumeOtp({ ...toOtpBinding(callingUser.userId, factorId), code, source }, deps, async (tx) => {
    const { user, session } = await revalidateUserCaller(tx, caller, deps.clock);
    await markFactorVerified(tx, user, await requireFactor(tx, user, caller.client, factorId));
    const { userId } = user;
    const { sessionId, clientId } = session;
    const { value } = await issueOneTimeToken(tx, { kind: 'auth-smart', userId, sessionId, clientId }, deps);
    return { challengeId: value };
  });
}
