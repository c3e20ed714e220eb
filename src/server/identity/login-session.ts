/** A session that begins with a right login or a completed recovery: its source is a known one of the user from then on. */
import type { Transaction } from '../store/store.ts';
import type { Session, User } from '../store/tables.ts';
import { withKnownSource } from './known-sources.ts';
import { type SessionDeps, type SessionOptions, startSession } from './sessions.ts';
import type { StoreSecret } from './store-secret.ts';

export interface LoginSessionOptions extends Omit<SessionOptions, 'userId'> {
  readonly user: User;
  /** What the caller counts by, as `callerKey` has it. */
  readonly callerKey: string;
}

export interface LoginSessionDeps extends SessionDeps {
  readonly storeSecret: Pick<StoreSecret, 'digest'>;
}

export interface LoginSession {
  readonly user: User;
  readonly session: Session;
  readonly refreshToken?: string;
}

/** Part of the transaction that takes the proof, so that the known source costs no commit of its own. */
export async function startLoginSession(
  tx: Transaction,
  { user: before, callerKey, ...start }: LoginSessionOptions,
  deps: LoginSessionDeps,
): Promise<LoginSession> {
  const user = withKnownSource(before, callerKey, deps);
  if (user !== before) await tx.users.replace(user);
  return { user, ...(await startSession(tx, { ...start, userId: user.userId }, deps)) };
}
