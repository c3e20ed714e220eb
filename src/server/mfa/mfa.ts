/** Second factor (MFA): a one-time code sent to a verified contact of the user, and submitted in the requesting session. */
import { apiError } from '../../contract/errors.ts';
import { type Principal, requireUserCaller } from '../directory/principal.ts';
import { epochSeconds } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { maskContact } from '../messaging/contacts.ts';
import { issueCallerToken, revalidateUserCaller, rotateCallerRefreshToken } from '../sessions/revalidate-caller.ts';
import type { Transaction } from '../store/store.ts';
import type { Client, Factor, Session, User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import { contactOf, findDefaultFactor, requireFactor, type UserFactor } from './factors.ts';
import { consumeOtp, sendOtp, subjectOfUser } from './otp.ts';
import { resolveSessionOtpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';

/** A code is bound to the user and the session. A session has one code at a time; wrong codes count for the user. */
function toOtpBinding(userId: string, { sessionId }: Session) {
  return { purpose: 'mfa', subject: subjectOfUser(userId), target: sessionId } as const;
}

export interface MfaChallenge {
  readonly challengeId: string;
  readonly contactType: Factor['contactType'];
  /** Masked. */
  readonly contact: string;
  /** Seconds, as a string of digits. */
  readonly expiresIn: string;
}

/**
 * Sends a code to the requested factor, else to the default one.
 * @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, FACTOR_NOT_VERIFIED, TOO_MANY_CODES.
 */
export async function startMfaChallenge(
  deps: OtpDeps & { readonly source: RequestSource },
  caller: Principal,
  factorId: string | undefined,
): Promise<MfaChallenge> {
  const challenge = await deps.store.transaction(async (tx) => {
    const { user, session } = await revalidateUserCaller(tx, caller, deps.clock);
    const factor = await resolveFactor(tx, user, caller.client, factorId);
    if (!factor?.verified) throw apiError('FACTOR_NOT_VERIFIED');
    const contact = contactOf(factor);
    const source = await resolveSessionOtpSource(tx, user, session, deps);
    const request = { ...toOtpBinding(user.userId, session), contacts: [contact], source };
    const { codeId, expiresIn } = await sendOtp(tx, request, deps);
    return { challengeId: codeId, contactType: factor.contactType, contact: maskContact(contact), expiresIn };
  });
  deps.outbox.wake();
  return challenge;
}

async function resolveFactor(
  tx: Transaction,
  user: User,
  client: Client,
  factorId: string | undefined,
): Promise<UserFactor | undefined> {
  return factorId === undefined ? findDefaultFactor(user) : requireFactor(tx, user, client, factorId);
}

interface MfaDeps extends OtpDeps {
  readonly source: RequestSource;
  readonly issuer: TokenIssuer;
}

/**
 * Verifies the code of a challenge and gives the caller's session AUTH-MFA.
 * @throws IamError USER_MISSING, TOKEN_INVALID, CODE_INVALID, CODE_FAILURES.
 */
export async function completeMfaChallenge(
  deps: MfaDeps,
  caller: Principal,
  submission: { readonly codeId: string; readonly code: string },
): Promise<TokenResponse> {
  const { user, session: callingSession } = requireUserCaller(caller);
  const source = await resolveSessionOtpSource(deps.store, user, callingSession, deps);
  const elevated = await consumeOtp(
    { ...toOtpBinding(user.userId, callingSession), ...submission, source },
    deps,
    async (tx) => {
      const { session: before } = await revalidateUserCaller(tx, caller, deps.clock);
      const session: Session = { ...before, level: 'AUTH-MFA', mfaAt: epochSeconds(deps.clock) };
      await tx.sessions.replace(session);
      return { session, refreshToken: await rotateCallerRefreshToken(tx, caller, session, deps) };
    },
  );
  return issueCallerToken(deps, caller, elevated);
}
