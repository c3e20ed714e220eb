/** An error that a person sees: a page, or a redirect that reports it to an application. */

import { type ApiErrorItem, IamError } from '../../../contract/errors.ts';
import type { PlainText } from '../../../contract/operation.ts';

export interface PageResponse extends PlainText {
  readonly status: number;
}

/** Recorded like any other error, and answered with this page. */
export class PageError extends IamError {
  readonly page: PageResponse;

  constructor(error: IamError, page: PageResponse) {
    super(error.errors as [ApiErrorItem, ...ApiErrorItem[]], { headers: error.headers });
    this.page = page;
  }
}

/** The page in place of the response to an error. */
export function withPage(error: IamError, page: PageResponse): PageError {
  return new PageError(error, page).withReasonOf(error);
}
