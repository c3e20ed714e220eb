/** A page that says one thing, with a way on. */

import { apiError, type IamError } from '../../../contract/errors.ts';
import { html } from './html.ts';
import { type LayoutOptions, renderPage } from './layout.ts';
import { type PageError, type PageResponse, withPage } from './page-error.ts';

interface Message extends Pick<LayoutOptions, 'title' | 'status' | 'setCookie'> {
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string } | undefined;
  /** For the log of the server. */
  readonly requestId?: string;
}

export function renderMessagePage({ text, link, requestId, ...page }: Message): PageResponse {
  return renderPage({
    ...page,
    content: html`<p>${text}</p>
${link && html`<p><a href="${link.href}">${link.text}</a></p>`}
${requestId && html`<p class="muted">Request <code>${requestId}</code></p>`}`,
  });
}

/** An error for the user alone: no application hears of it. */
export function createMessageError(error: IamError, message: Omit<Message, 'status'>): PageError {
  return withPage(error, renderMessagePage({ ...message, status: 400 }));
}

/** Nothing can be reported to the application: its request has another error. */
export function createInvalidPage(what: 'login' | 'logout', text: string): PageError {
  return createMessageError(apiError('AUTHORIZATION_INVALID', text), { title: `This ${what} cannot start`, text });
}

/**
 * The cookie is missing, the page is older than the last login or second factor of this browser, or it showed another request.
 * @param href of the first page, if it can be opened again
 */
export function createExpiredPage(href?: string): PageError {
  const reason =
    'Another page of this browser logged in or confirmed a code meanwhile, the application was changed, or the browser keeps no cookies for this server.';
  return createMessageError(apiError('FORM_EXPIRED'), {
    title: 'This page has expired',
    ...(href === undefined
      ? { text: `${reason} Start again at the application.` }
      : { text: reason, link: { href, text: 'Start again' } }),
  });
}
