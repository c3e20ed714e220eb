/** Verifies that a contact belongs to the user, with a one-time code sent to it. */

import { type Principal, requireUserCaller } from '../directory/principal.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { contactOf } from '../messaging/contacts.ts';
import { revalidateUserCaller } from '../sessions/revalidate-caller.ts';
import type { Session } from '../store/tables.ts';
import { issueOneTimeToken } from '../tokens/one-time-tokens.ts';
import { formatFactorTarget, markFactorVerified, requireFactor } from './factors.ts';
import { consumeOtp, sendOtp, subjectOfUser } from './otp.ts';
import { consumeUnverifiedOtpLimit, formatSecondFactorLimit } from './otp-rate-limit.ts';
import { createUnknownSource, resolveSessionOtpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';

/** A code is bound to the user, the contact and the session that requested it: codes of other sessions are not compared. */
function toOtpBinding(userId: string, { sessionId }: Session, factorId: string) {
  return {
    purpose: 'factor',
    subject: subjectOfUser(userId),
    target: formatFactorTarget(sessionId, factorId),
  } as const;
}

interface FactorDeps extends OtpDeps {
  readonly source: RequestSource;
}

/** Sends a code to a factor of the caller. @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, TOO_MANY_CODES. */
export async function sendFactorOtp(deps: FactorDeps, caller: Principal, factorId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const { user, session } = await revalidateUserCaller(tx, caller, deps.clock);
    const factor = await requireFactor(tx, user, caller.client, factorId);
    const request = { ...toOtpBinding(user.userId, session, factor.id), contacts: [contactOf(factor)] };
    if (factor.verified) {
      const source = resolveSessionOtpSource(user, session, deps);
      await sendOtp(tx, { ...request, source, formatLimit: formatSecondFactorLimit }, deps);
    } else {
      // The contact may belong to another person: apply the limits of an unknown source to protect that person.
      await consumeUnverifiedOtpLimit(tx, user.userId, deps);
      await sendOtp(tx, { ...request, source: createUnknownSource(deps) }, deps);
    }
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
  const source = resolveSessionOtpSource(callingUser, callingSession, deps);
  const binding = toOtpBinding(callingUser.userId, callingSession, factorId);
  return consumeOtp({ ...binding, code, source }, deps, async (tx) => {
    const { user, session } = await revalidateUserCaller(tx, caller, deps.clock);
    await markFactorVerified(tx, user, await requireFactor(tx, user, caller.client, factorId));
    const { userId } = user;
    const { sessionId, clientId } = session;
    const { value } = await issueOneTimeToken(tx, { kind: 'auth-smart', userId, sessionId, clientId }, deps);
    return { challengeId: value };
  });
}
