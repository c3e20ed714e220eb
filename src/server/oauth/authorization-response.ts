/** Responses at the redirect URI (RFC 6749, 4.1.2; RFC 9207; OAuth 2.0 Form Post Response Mode). */

import { html, renderHiddenFields } from './pages/html.ts';
import { type LayoutOptions, renderPage } from './pages/layout.ts';
import type { PageResponse } from './pages/page-error.ts';

export interface AuthorizationTarget {
  readonly redirectUri: string;
  readonly mode: 'query' | 'form_post';
  readonly state?: string | undefined;
  readonly issuer: string;
}

/** A response that also has the address that a link to it would have. */
export interface RedirectResponse extends PageResponse {
  readonly location: string;
}

/** `iss` lets an application of several servers notice that another one responds (RFC 9207). */
export function renderResponse(
  { redirectUri, mode, state, issuer }: AuthorizationTarget,
  values: Readonly<Record<string, string>>,
  setCookie?: string,
): RedirectResponse {
  const parameters = { ...values, ...(state === undefined ? {} : { state }), iss: issuer };
  const location = appendQuery(redirectUri, parameters);
  if (mode === 'query') return { ...renderRedirect(location, setCookie), location };
  const form = { action: redirectUri, fields: parameters, formTargets: [redirectUri], setCookie };
  return { ...renderAutomaticForm('Back to the application', form), location };
}

/** 303, so that the browser never sends on what was posted here (RFC 9700, 4.12). */
export function renderRedirect(location: string, setCookie?: string): PageResponse {
  return {
    status: 303,
    contentType: 'text/plain; charset=utf-8',
    text: '',
    headers: {
      Location: location,
      'Referrer-Policy': 'no-referrer',
      ...(setCookie === undefined ? {} : { 'Set-Cookie': setCookie }),
    },
  };
}

/** A query that the URI has is kept (RFC 6749, 3.1.2). */
export function appendQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${separator}${new URLSearchParams(parameters)}`;
}

/** A form that is sent at once, or by its button without scripts: browsers start a new chain of redirects with it. */
export function renderAutomaticForm(
  title: string,
  {
    action,
    fields,
    ...page
  }: Pick<LayoutOptions, 'formTargets' | 'setCookie'> & {
    readonly action: string;
    readonly fields: Readonly<Record<string, string | undefined>>;
  },
): PageResponse {
  const content = html`<form method="post" action="${action}">${renderHiddenFields(fields)}<button>Continue</button></form>`;
  return renderPage({ ...page, title, content, script: 'document.forms[0].submit()' });
}
