/** Errors of the client: rejected by the service, not reached, or not sent because the input is not valid. */

import { StandinError } from '../contract/standin-error.ts';
import type { ErrorCode, ErrorDetails } from './operation-types.ts';

export type { ErrorDetails };

/** One element of the service's error body. */
export interface ClientErrorItem {
  readonly code: string;
  readonly message: string;
  /** The content of the message as data, such as the wrong field or the missing roles. Messages may change. */
  readonly details?: ErrorDetails;
}

export interface ClientErrorDetails {
  readonly status: number;
  readonly items: readonly ClientErrorItem[];
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/** The code of an error: of the service, or HTTP_502 for a response without an error body, as gateways send it. */
export type ClientErrorCode = ErrorCode | `HTTP_${number}`;

/** The service returned an error. `code` and `details` are those of the first item. */
export class ClientError extends StandinError {
  override readonly name = 'ClientError';
  readonly status: number;
  readonly code: ClientErrorCode;
  readonly items: readonly ClientErrorItem[];
  /** The details of the first item. */
  readonly details: ErrorDetails | undefined;
  readonly requestId: string | undefined;
  /** Seconds to wait, from Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(details: ClientErrorDetails) {
    const [first] = details.items;
    super(first?.message ?? `The service responded with ${details.status}.`);
    this.status = details.status;
    // Another version of the service can have other codes.
    this.code = (first?.code as ErrorCode | undefined) ?? `HTTP_${details.status}`;
    this.items = details.items;
    this.details = first?.details;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** No response: connection refused, connection lost or timeout. A write may or may not have been applied. */
export class NetworkError extends StandinError {
  override readonly name = 'NetworkError';
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The input is not a valid request; nothing was sent. */
export class InputError extends StandinError {
  override readonly name = 'InputError';
  readonly code = 'INPUT_INVALID';
}
