/** An error that a person sees: a page, or a redirect that reports it to an application. */

import { errorTable } from '../../../contract/error-codes.ts';
import { type ApiErrorItem, IamError } from '../../../contract/errors.ts';
import type { PlainText } from '../../../contract/operation.ts';

export interface PageResponse extends PlainText {
  readonly status: number;
}

/** Recorded like any other error, and answered with this page. */
export class PageError extends IamError {
  readonly page: PageResponse;
  /** The name of the error for a program that sent the request (RFC 6749, 4.1.2.1). */
  readonly oauthError: string | undefined;

  constructor(error: IamError, page: PageResponse, oauthError?: string) {
    super(error.errors as [ApiErrorItem, ...ApiErrorItem[]], { headers: error.headers });
    this.page = page;
    this.oauthError = oauthError;
  }
}

/** The page in place of the response to an error. */
export function withPage(error: IamError, page: PageResponse, oauthError?: string): PageError {
  return new PageError(error, page, oauthError).withReasonOf(error);
}

/** The status of a form that is shown again with this error: those of limits and load have a meaning for browsers. */
export function readFormStatus({ code }: IamError): number {
  const { status } = errorTable[code];
  return status >= 429 ? status : 400;
}
