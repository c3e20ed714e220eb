/**
 * A new mainframe password by a code. The mainframe is called between two transactions: the first takes the code, so that
 * of many parallel uses one gets any further; the second ends what was signed in and begins a session. Where the mainframe
 * fails, the code is made good again. After a crash in between the code is used and a new one has to be asked for; the
 * password may then be the new one already.
 */
import { fault } from '../../contract/errors.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Mainframe } from '../ports/mainframe.ts';
import type { Settings } from '../settings.ts';
import type { Transaction } from '../store/store.ts';
import type { Authentication } from './authenticate.ts';
import type { HashLane } from './hash-queue.ts';
import { withOnlyKnownSources } from './known-sources.ts';
import {
  type LogonSession,
  notePasswordChange,
  ownerOfLogon,
  requireMainframePassword,
  startLogonSession,
} from './logons.ts';
import { restoreCode, subjectOfLogon, takeCode } from './otp.ts';
import { otpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import { endSessionsOfLogon } from './sessions.ts';
import { stopUser } from './stop-user.ts';

export interface LogonReset {
  /** Upper-case. */
  readonly logon: string;
  /** The id of the transaction, and the code that was sent in it. */
  readonly codeId: string;
  readonly code: string;
  readonly newPassword: string;
  readonly clientId: string;
  readonly deviceTokenId?: string | undefined;
}

export interface ResetTools extends OtpDeps {
  readonly source: RequestSource;
  readonly hashLane: HashLane;
  readonly mainframe: Mainframe;
  readonly settings: Settings;
  readonly authentication: Authentication;
}

/**
 * Sets the password and signs in.
 * @throws IamError PROOF_INVALID, CODE_FAILURES, PASSWORD_NOT_FOR_MAINFRAME (the code stays good), TOO_BUSY and
 *   MAINFRAME_UNAVAILABLE (it is made good again).
 */
export async function resetLogon(reset: LogonReset, tools: ResetTools): Promise<LogonSession> {
  const taken = await claim(reset, tools);
  if (!(await setPassword(reset, taken.codeId, tools))) throw fault('PROOF_INVALID');
  const session = await tools.store.transaction((tx) => finish(tx, reset, taken, tools));
  if (!session) throw fault('PROOF_INVALID');
  const { throttles } = tools.authentication;
  throttles.logon.clear([reset.logon]);
  if (session.user) throttles.clear(session.user);
  return session;
}

interface Claim {
  readonly codeId: string;
  /** Whom the logon belongs to. */
  readonly userId: string | undefined;
  /** What the caller counts by: its device or its address. */
  readonly sourceKey: string;
}

async function claim({ logon, codeId, code, newPassword, ...reset }: LogonReset, tools: ResetTools): Promise<Claim> {
  const source = await otpSource(tools.store, await ownerOfLogon(tools.store, logon), reset.deviceTokenId, tools);
  const refusal = () => fault('PROOF_INVALID');
  const check = { purpose: 'legacy-recovery', subject: subjectOfLogon(logon), codeId, code, source, refusal } as const;
  return takeCode(check, tools, async (tx, row) => {
    const owner = await ownerOfLogon(tx, logon);
    if (row.about !== logon || owner?.locked) throw refusal();
    requireMainframePassword(newPassword, tools.settings);
    return { codeId: row.codeId, userId: owner?.userId, sourceKey: source.key };
  });
}

async function setPassword({ logon, newPassword }: LogonReset, codeId: string, tools: ResetTools): Promise<boolean> {
  try {
    return await tools.mainframe.setPassword(logon, newPassword, tools.hashLane);
  } catch (error) {
    await tools.store.transaction((tx) => restoreCode(tx, codeId));
    throw error;
  }
}

/** The old password is no longer one, whatever else happened meanwhile: a lock, or another owner, only keeps from signing in. */
async function finish(
  tx: Transaction,
  { logon, clientId }: LogonReset,
  { userId, sourceKey }: Claim,
  tools: ResetTools,
): Promise<LogonSession | undefined> {
  const owner = await ownerOfLogon(tx, logon);
  await notePasswordChange(tx, logon);
  await endSessionsOfLogon(tx, logon);
  if (owner) await stopUser(tx, owner.userId);
  if (owner?.locked || owner?.userId !== userId) return undefined;
  const user = owner && withOnlyKnownSources(owner, [tools.source.key, sourceKey], tools);
  if (user) await tx.users.replace(user);
  return startLogonSession(tx, { clientId, logon, user, remember: false, renewable: true }, tools);
}
