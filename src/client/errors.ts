/** How a call can fail: refused by the service, not reached, or not sent because the input makes no request. */

import type { ErrorDetails } from '../contract/error-body.ts';

export type { ErrorDetails };

/** One element of the service's error body. */
export interface ClientErrorItem {
  readonly code: string;
  readonly message: string;
  /** What the message says, as data: the wrong field, the missing roles. Messages are for people and may change. */
  readonly details?: ErrorDetails;
}

export interface ClientErrorDetails {
  readonly status: number;
  readonly items: readonly ClientErrorItem[];
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/** The service refused the call. `code` is that of the first item, which decides what a caller can do. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly status: number;
  readonly code: string;
  readonly items: readonly ClientErrorItem[];
  /** Those of the first item. */
  readonly details: ErrorDetails | undefined;
  readonly requestId: string | undefined;
  /** Seconds to wait, where the service gave them. */
  readonly retryAfter: number | undefined;

  constructor(details: ClientErrorDetails) {
    const [first] = details.items;
    super(first?.message ?? `The service answered ${details.status}.`);
    this.status = details.status;
    this.code = first?.code ?? `HTTP_${details.status}`;
    this.items = details.items;
    this.details = first?.details;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** No answer came: nobody listens, the connection broke, or it took too long. Whether a write arrived is not known. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The input does not make a request; nothing was sent. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
