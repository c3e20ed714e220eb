/** Errors of the client: rejected by the service, not reached, or not sent because the input is not valid. */

import type { ErrorDetails } from './operation-types.ts';

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

/** The service returned an error. `code` and `details` are those of the first item. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly status: number;
  readonly code: string;
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
    this.code = first?.code ?? `HTTP_${details.status}`;
    this.items = details.items;
    this.details = first?.details;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** No response: connection refused, connection lost or timeout. A write may or may not have been applied. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The input is not a valid request; nothing was sent. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
