/** A login attempt, as the throttles count it. */
import type { RequestSource } from '../lib/request-source.ts';
import type { LoginAttempt } from '../limits/login-failures.ts';
import { findKnownCaller, type KnownSourceDeps } from '../sessions/known-sources.ts';
import type { Device, User } from '../store/tables.ts';

export interface LoginAttemptInput {
  /** The given name, folded for comparison. */
  readonly name: string;
  /** The user with this name, if any. */
  readonly user: User | undefined;
  readonly source: RequestSource;
  /** The device of this user whose token was sent. */
  readonly device?: Device | undefined;
}

/** Does the same work whether or not the name belongs to a user. */
export function createLoginAttempt(
  { name, user, source, device }: LoginAttemptInput,
  deps: KnownSourceDeps,
): LoginAttempt {
  const { key: caller, isKnown } = findKnownCaller(user, source, device, deps);
  return { name, caller, isLoopback: source.isLoopback, isKnown };
}
