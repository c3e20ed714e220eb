/** Second factor (MFA): a one-time code sent to a verified contact of the user, and submitted in the requesting session. */
import { apiError } from '../../contract/errors.ts';
import { type Principal, requireUserCaller } from '../directory/principal.ts';
import { epochSeconds } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { contactOf, maskContact } from '../messaging/contacts.ts';
import { readCallerContent, revalidateUserCaller, rotateCallerRefreshToken } from '../sessions/revalidate-caller.ts';
import type { Transaction } from '../store/store.ts';
import type { Client, Factor, Session, User } from '../store/tables.ts';
import type { UserContent } from '../tokens/content.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import { findDefaultFactor, listFactors, requireFactor, type UserFactor } from './factors.ts';
import { consumeOtp, sendOtp, subjectOfUser } from './otp.ts';
import { clearAllAttempts, isFirstWithinHour, secondFactorPurposes } from './otp-attempts.ts';
import { clearOtpRateLimit, formatSecondFactorLimit } from './otp-rate-limit.ts';
import { resolveSessionOtpSource, withMfaSources } from './otp-source.ts';
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
    const source = resolveSessionOtpSource(user, session, deps);
    const request = {
      ...toOtpBinding(user.userId, session),
      ...{ contacts: [contact], source, formatLimit: formatSecondFactorLimit },
    };
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
 * Verifies the code of a challenge and gives the caller's session AUTH-MFA. Its address and device are known from then on.
 * @throws IamError USER_MISSING, TOKEN_INVALID, CODE_INVALID, CODE_FAILURES.
 */
export async function completeMfaChallenge(
  deps: MfaDeps,
  caller: Principal,
  submission: CodeSubmission,
): Promise<TokenResponse> {
  return deps.issuer.issue(await raiseToMfa(deps, caller, submission));
}

export interface CodeSubmission {
  readonly codeId: string;
  readonly code: string;
}

/**
 * Does the same without issuing a token.
 * @param change what else changes with the level
 * @returns what a token of the session says
 */
export async function raiseToMfa(
  deps: MfaDeps,
  caller: Principal,
  submission: CodeSubmission,
  change: Pick<Session, 'browser'> = {},
): Promise<UserContent> {
  const { user, session: callingSession } = requireUserCaller(caller);
  const source = resolveSessionOtpSource(user, callingSession, deps);
  return consumeOtp({ ...toOtpBinding(user.userId, callingSession), ...submission, source }, deps, async (tx) => {
    const { user: current, session: before } = await revalidateUserCaller(tx, caller, deps.clock);
    const session: Session = { ...before, ...change, level: 'AUTH-MFA', mfaAt: epochSeconds(deps.clock) };
    await tx.sessions.replace(session);
    const known = withMfaSources(current, session, deps);
    if (known !== current) await tx.users.replace(known);
    const refreshToken = await rotateCallerRefreshToken(tx, caller, session, deps);
    return readCallerContent(deps, caller, { user: known, session, refreshToken });
  });
}

/**
 * Clears what counts against the second factor of a user who recovered the account: wrong codes, and codes sent to its
 * contacts. At most once an hour, because an attacker who reads one contact could otherwise guess the codes of another.
 * @returns whether it was the first recovery within the hour.
 */
export async function clearSecondFactorLimits(tx: Transaction, user: User, deps: OtpDeps): Promise<boolean> {
  if (deps.disableRateLimits) return false;
  const subject = subjectOfUser(user.userId);
  if (!(await isFirstWithinHour(tx, subject, deps))) return false;
  for (const purpose of secondFactorPurposes) await clearAllAttempts(tx, { purpose, subject }, deps);
  for (const factor of await listFactors(tx, user))
    await clearOtpRateLimit(tx, formatSecondFactorLimit(contactOf(factor)), deps);
  return true;
}
