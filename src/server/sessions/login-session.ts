/** Starts a session after a successful login or a completed recovery, and adds its source to the known sources of the user. */
import type { Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Session, User } from '../store/tables.ts';
import { withKnownSource } from './known-sources.ts';
import { type SessionDeps, type SessionOptions, startSession } from './sessions.ts';

export interface LoginSessionOptions extends Omit<SessionOptions, 'userId'> {
  readonly user: User;
  /** The key returned by `callerKey`. */
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

/** Part of the transaction that consumes the credential, so that the known source needs no separate commit. */
export async function startLoginSession(
  tx: Transaction,
  { user: before, callerKey, ...start }: LoginSessionOptions,
  deps: LoginSessionDeps,
): Promise<LoginSession> {
  const user = withKnownSource(before, callerKey, deps);
  if (user !== before) await tx.users.replace(user);
  return { user, ...(await startSession(tx, { ...start, userId: user.userId }, deps)) };
}
