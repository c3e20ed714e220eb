/** A session that begins with a right login or a completed recovery: its source is a known one of the user from then on. */
import type { Transaction } from '../store/store.ts';
import type { Session, User } from '../store/tables.ts';
import { withKnownSource } from './known-sources.ts';
import { type SessionStart, type SessionTools, startSession } from './sessions.ts';
import type { StoreKey } from './store-key.ts';

export interface LoginSessionStart extends Omit<SessionStart, 'userId'> {
  readonly user: User;
  /** What the caller counts by, as `callerKey` has it. */
  readonly callerKey: string;
}

export interface LoginSessionTools extends SessionTools {
  readonly storeKey: Pick<StoreKey, 'digest'>;
}

export interface LoginSession {
  readonly user: User;
  readonly session: Session;
  readonly refreshToken?: string;
}

/** Part of the transaction that takes the proof, so that the known source costs no commit of its own. */
export async function startLoginSession(
  tx: Transaction,
  { user: before, callerKey, ...start }: LoginSessionStart,
  tools: LoginSessionTools,
): Promise<LoginSession> {
  const user = withKnownSource(before, callerKey, tools);
  if (user !== before) await tx.users.replace(user);
  return { user, ...(await startSession(tx, { ...start, userId: user.userId }, tools)) };
}
