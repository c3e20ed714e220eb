/** The error of a call of the library that the service would reject. */
import type { ClientErrorItem, ErrorCode, StandinError } from '../client/index.ts';
import { IamError as ServerError } from '../contract/errors.ts';

/** A call of the library that the service would reject, such as `signIn` of a locked user. `code` is that of the first item. */
export interface IamError extends StandinError {
  readonly code: ErrorCode;
  readonly items: readonly ClientErrorItem[];
}

/** For `instanceof`. */
export const IamError: abstract new (...args: never[]) => IamError = ServerError;
