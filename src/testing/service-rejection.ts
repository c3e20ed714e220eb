/** The errors of the service, as the library declares them. */
import type { ErrorCode } from '../client/operation-types.ts';
import { IamError } from '../contract/errors.ts';
import type { StandinError } from '../contract/standin-error.ts';

/** A call of the library that the service would reject, with the code of the service. */
export interface ServiceRejection extends StandinError {
  readonly name: 'IamError';
  readonly code: ErrorCode;
}

/** The class, for `instanceof`. Its declaration is not published, as it depends on the whole table of errors. */
export const ServiceRejection: abstract new (...args: never) => ServiceRejection = IamError;
