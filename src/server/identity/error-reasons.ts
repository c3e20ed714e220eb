/**
 * The reason why a request was rejected, for operators. It is stored beside the error and not in it, so that no response
 * and no log can contain it: callers must not learn what exists.
 */
import type { IamError } from '../../contract/errors.ts';
import type { Client, User } from '../store/tables.ts';

export interface ErrorReason {
  /** One sentence without secrets. */
  readonly text: string;
  /** The client or user that the credentials name, if it exists. */
  readonly client?: Client | undefined;
  readonly user?: User | undefined;
}

const reasons = new WeakMap<object, ErrorReason | (() => ErrorReason)>();

/** Attaches the reason to an error. A function is evaluated only if reasons are recorded. @returns the error. */
export function withReason(error: IamError, reason: ErrorReason | (() => ErrorReason)): IamError {
  reasons.set(error, reason);
  return error;
}

/** The reason of an error, if one is attached. */
export function readReason(error: object): ErrorReason | undefined {
  const reason = reasons.get(error);
  return typeof reason === 'function' ? reason() : reason;
}

/** Copies the reason to the error that replaces another. @returns the later error. */
export function copyReason(later: IamError, earlier: object): IamError {
  const reason = reasons.get(earlier);
  if (reason !== undefined) reasons.set(later, reason);
  return later;
}
