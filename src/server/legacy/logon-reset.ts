/**
 * Sets a new mainframe password with a one-time code. The mainframe is called between two transactions: the first
 * consumes the code, so that only one of several parallel requests continues; the second ends existing sessions and
 * starts a new one. If the mainframe fails, the code is restored. The first also rejects a token that would be too long: if
 * the owner gains roles in between, the second ends the sessions and only does not sign in. After a crash in between, the
 * code is consumed and a new one must be requested; the mainframe may already have the new password.
 */
import { apiError, IamError } from '../../contract/errors.ts';
import type { Authentication } from '../auth/authenticate.ts';
import { clearCreations, type GrowthDeps } from '../auth/limit-creations.ts';
import { revokeUserAccess } from '../auth/revoke-user-access.ts';
import type { Settings } from '../config/settings.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { HashFlow } from '../limits/hash-queue.ts';
import { clearSecondFactorLimits } from '../mfa/mfa.ts';
import { consumeOtp, restoreOtp, subjectOfLogon } from '../mfa/otp.ts';
import { type OtpSource, resolveOtpSource } from '../mfa/otp-source.ts';
import type { OtpDeps } from '../mfa/otp-value.ts';
import { withoutConsents } from '../sessions/consents.ts';
import { toDeviceBinding } from '../sessions/devices.ts';
import { endSessionsOfLogon } from '../sessions/end-sessions.ts';
import { listMfaKeys, withOnlyKnownSources } from '../sessions/known-sources.ts';
import type { Transaction } from '../store/store.ts';
import type { Client, User } from '../store/tables.ts';
import type { LogonContent, UserContent } from '../tokens/content.ts';
import type { TokenIssuer } from '../tokens/issue.ts';
import { sampleSession } from '../tokens/sample-content.ts';
import type { Mainframe } from './mainframe.ts';
import {
  assertMainframePassword,
  findLogonOwner,
  readLogonContent,
  recordPasswordChange,
  startLogonSession,
} from './mainframe-logons.ts';

export interface LogonResetRequest {
  /** Upper-case. */
  readonly logon: string;
  /** The id of the code transaction, and the code. */
  readonly codeId: string;
  readonly code: string;
  readonly newPassword: string;
  readonly client: Client;
  readonly deviceTokenId?: string | undefined;
}

export interface LogonResetDeps extends OtpDeps, GrowthDeps {
  readonly source: RequestSource;
  readonly hashFlow: HashFlow;
  readonly mainframe: Mainframe;
  readonly settings: Settings;
  readonly authentication: Authentication;
  readonly issuer: TokenIssuer;
}

/**
 * Sets the password, signs in, and returns what the token says.
 * @throws IamError PROOF_INVALID, CODE_FAILURES, PASSWORD_NOT_FOR_MAINFRAME and TOKEN_TOO_LONG (the code remains valid),
 *   TOO_BUSY and MAINFRAME_UNAVAILABLE (the code is restored).
 */
export async function resetLogonPassword(
  reset: LogonResetRequest,
  deps: LogonResetDeps,
): Promise<UserContent | LogonContent> {
  const authorization = await consumeResetOtp(reset, deps);
  if (!(await setPassword(reset, authorization.codeId, deps))) throw apiError('PROOF_INVALID');
  const content = await deps.store.transaction((tx) => completeReset(tx, reset, authorization, deps));
  if (!content) throw apiError('PROOF_INVALID');
  if (content instanceof IamError) throw content;
  const { throttles } = deps.authentication;
  await throttles.logon.clear([reset.logon]);
  if (content.kind === 'user') await throttles.clear(content.user);
  return content;
}

interface ResetAuthorization {
  readonly codeId: string;
  /** The owner of the logon. */
  readonly userId: string | undefined;
  readonly source: OtpSource;
}

async function consumeResetOtp(reset: LogonResetRequest, deps: LogonResetDeps): Promise<ResetAuthorization> {
  const { logon, codeId, code, newPassword, deviceTokenId } = reset;
  const source = await resolveOtpSource(deps.store, await findLogonOwner(deps.store, logon), deviceTokenId, deps);
  const createError = () => apiError('PROOF_INVALID');
  const check = {
    purpose: 'legacy-recovery',
    subject: subjectOfLogon(logon),
    codeId,
    code,
    source,
    createError,
  } as const;
  return consumeOtp(check, deps, async (tx, row) => {
    const owner = await findLogonOwner(tx, logon);
    if (row.about !== logon || owner?.locked) throw createError();
    assertMainframePassword(newPassword, deps.settings);
    const tooLong = await findLengthError(owner, reset, deps);
    if (tooLong) throw tooLong;
    return { codeId: row.codeId, userId: owner?.userId, source };
  });
}

/** The error of a login with this logon if its token would be too long. */
async function findLengthError(
  user: User | undefined,
  { logon, client }: LogonResetRequest,
  deps: LogonResetDeps,
): Promise<IamError | undefined> {
  const session = { ...sampleSession, clientId: client.clientId, logon, level: 'AUTH-BASIC', smart: false } as const;
  try {
    await readLogonContent(deps, { user, logon, session }, client);
    return undefined;
  } catch (error) {
    if (error instanceof IamError && error.code === 'TOKEN_TOO_LONG') return error;
    throw error;
  }
}

async function setPassword(
  { logon, newPassword }: LogonResetRequest,
  codeId: string,
  deps: LogonResetDeps,
): Promise<boolean> {
  try {
    return await deps.mainframe.setPassword(logon, newPassword, deps.hashFlow);
  } catch (error) {
    await deps.store.transaction((tx) => restoreOtp(tx, codeId));
    throw error;
  }
}

/**
 * Always ends sessions, because the old password is invalid; a lock, a new owner or a token that is too long only prevents
 * the sign-in.
 */
async function completeReset(
  tx: Transaction,
  reset: LogonResetRequest,
  { userId, source }: ResetAuthorization,
  deps: LogonResetDeps,
): Promise<UserContent | LogonContent | IamError | undefined> {
  const { logon, client } = reset;
  const owner = await findLogonOwner(tx, logon);
  await recordPasswordChange(tx, logon);
  await endSessionsOfLogon(tx, logon);
  if (owner) await revokeUserAccess(tx, owner.userId);
  if (owner?.locked || owner?.userId !== userId) return undefined;
  const mfaKeys = listMfaKeys(deps.source, source.device ? toDeviceBinding(source.device) : {});
  const user = owner && withOnlyKnownSources(withoutConsents(owner), [deps.source.key, source.key], deps, mfaKeys);
  if (user) {
    await tx.users.replace(user);
    if (await clearSecondFactorLimits(tx, user, deps)) clearCreations(deps, user);
  }
  const tooLong = await findLengthError(user, reset, deps);
  if (tooLong) return tooLong;
  const start = { client, logon, user, remember: false, renewable: true };
  return readLogonContent(deps, await startLogonSession(tx, start, deps), client);
}
