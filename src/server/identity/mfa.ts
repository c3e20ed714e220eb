/** The second proof: a code that goes to a verified contact of the user, and comes back in the session that asked for it. */
import { fault } from '../../contract/errors.ts';
import { epochSeconds } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Transaction } from '../store/store.ts';
import type { Client, Factor, Session, User } from '../store/tables.ts';
import type { TokenIssuer, TokenResponse } from '../tokens/issue.ts';
import { masked } from './contacts.ts';
import { contactOf, defaultFactor, requireFactor, type UserFactor } from './factors.ts';
import { sendCode, subjectOfUser, takeCode } from './otp.ts';
import { otpSourceInSession } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import { type Principal, requireUserCaller } from './principal.ts';
import { requireStanding, rotateFor, tokenForCaller } from './standing.ts';

/** What a code is bound to: user and session. A session has one at a time; wrong ones count for the user. */
function holderOf(userId: string, { sessionId }: Session) {
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
 * Sends a code to the factor that is named, else to the usual one.
 * @throws IamError USER_MISSING, TOKEN_INVALID, FACTOR_NOT_FOUND, FACTOR_NOT_VERIFIED, TOO_MANY_CODES.
 */
export async function openChallenge(
  tools: OtpDeps & { readonly source: RequestSource },
  caller: Principal,
  factorId: string | undefined,
): Promise<MfaChallenge> {
  const challenge = await tools.store.transaction(async (tx) => {
    const { user, session } = await requireStanding(tx, caller, tools.clock);
    const factor = await chosenFactor(tx, user, caller.client, factorId);
    if (!factor?.verified) throw fault('FACTOR_NOT_VERIFIED');
    const contact = contactOf(factor);
    const source = await otpSourceInSession(tx, user, session, tools);
    const request = { ...holderOf(user.userId, session), contacts: [contact], source };
    const { codeId, expiresIn } = await sendCode(tx, request, tools);
    return { challengeId: codeId, contactType: factor.contactType, contact: masked(contact), expiresIn };
  });
  tools.outbox.kept();
  return challenge;
}

async function chosenFactor(
  tx: Transaction,
  user: User,
  client: Client,
  factorId: string | undefined,
): Promise<UserFactor | undefined> {
  return factorId === undefined ? defaultFactor(user) : requireFactor(tx, user, client, factorId);
}

interface ProofTools extends OtpDeps {
  readonly source: RequestSource;
  readonly issuer: TokenIssuer;
}

/**
 * Takes the code of a challenge: the caller's session has AUTH-MFA from then on.
 * @throws IamError USER_MISSING, TOKEN_INVALID, CODE_INVALID, CODE_FAILURES.
 */
export async function fulfillChallenge(
  tools: ProofTools,
  caller: Principal,
  given: { readonly codeId: string; readonly code: string },
): Promise<TokenResponse> {
  const { user, session: called } = requireUserCaller(caller);
  const source = await otpSourceInSession(tools.store, user, called, tools);
  const raised = await takeCode({ ...holderOf(user.userId, called), ...given, source }, tools, async (tx) => {
    const { session: before } = await requireStanding(tx, caller, tools.clock);
    const session: Session = { ...before, level: 'AUTH-MFA', mfaAt: epochSeconds(tools.clock) };
    await tx.sessions.replace(session);
    return { session, refreshToken: await rotateFor(tx, caller, session, tools) };
  });
  return tokenForCaller(tools, caller, raised);
}
