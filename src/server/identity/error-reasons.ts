/**
 * Why a call was refused, for who looks after the server. It stands beside the error and not in it, so that no answer
 * and no log can carry it: callers are told nothing of what exists.
 */
import type { IamError } from '../../contract/errors.ts';
import type { Client, User } from '../store/tables.ts';

export interface ErrorReason {
  /** One sentence, never with a secret in it. */
  readonly text: string;
  /** Whom the credentials name, where the server knows somebody of that name. */
  readonly client?: Client | undefined;
  readonly user?: User | undefined;
}

const reasons = new WeakMap<object, ErrorReason | (() => ErrorReason)>();

/** Notes why an error is thrown. A function is asked only where somebody keeps reasons. @returns the error. */
export function withReason(error: IamError, reason: ErrorReason | (() => ErrorReason)): IamError {
  reasons.set(error, reason);
  return error;
}

/** Why it was thrown, where that was noted. */
export function readReason(error: object): ErrorReason | undefined {
  const reason = reasons.get(error);
  return typeof reason === 'function' ? reason() : reason;
}

/** Hands the reason on to the error that takes the place of another. @returns the later one. */
export function copyReason(later: IamError, earlier: object): IamError {
  const reason = reasons.get(earlier);
  if (reason !== undefined) reasons.set(later, reason);
  return later;
}
