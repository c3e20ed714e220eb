/** GET and POST /oauth2/authorize */
import * as z from 'zod';
import { defineOperation } from '../operations/define.ts';
import type { OperationContext } from '../request-context.ts';
import { type Browser, openBrowser } from '../sessions/browser-sessions.ts';
import {
  type AuthorizationParameters,
  authorizationForm,
  authorizationQuery,
  createRefusal,
  readAuthorizationRequest,
  readForm,
  toQuery,
} from './authorization-request.ts';
import { renderRedirect } from './authorization-response.ts';
import { continueLogin } from './login-flow.ts';
import { browserHeaders, pageTraits } from './page-traits.ts';
import type { PageResponse } from './pages/page-error.ts';
import { resolvePushedRequest } from './par.ts';

/** Errors of the request, for every page of a login. */
export const authorizationErrors = [
  'AUTHORIZATION_INVALID',
  'SCOPE_EXCEEDED',
  'TARGET_INVALID',
  'LOGIN_REQUIRED',
] as const;

const traits = {
  ...pageTraits,
  checksFrames: true,
  path: '/oauth2/authorize',
  audit: { kind: 'read', targets: {} },
  status: [200, 303, 400, 500],
  identifies: [],
  errors: authorizationErrors,
} as const;

export const authorize = defineOperation({
  ...traits,
  id: 'oauth2.authorize',
  title: 'Log in with a browser (OpenID Connect)',
  description:
    'The authorization endpoint (RFC 6749, 3.1; OpenID Connect Core 1.0, 3.1.2), to which an application sends the browser of a user. It responds with the pages of the login, or redirects to the application with a code. An error of the client or the redirect URI is a page, every other one is reported at the redirect URI.',
  method: 'GET',
  writes: true,
  request: { query: authorizationQuery, headers: browserHeaders },
  handle: async ({ query, headers }, context) => showLogin(context, query, await openBrowser(context, headers.cookie)),
});

/** OpenID Connect Core 1.0, 3.1.2.1: servers must support GET and POST. */
export const authorizeByForm = defineOperation({
  ...traits,
  id: 'oauth2.authorize-form',
  title: 'Log in with a browser, by a form',
  description: 'The same as GET /oauth2/authorize, with the parameters in a form.',
  method: 'POST',
  acceptsForeignForms: true,
  request: {
    body: z.object(authorizationForm).meta({ id: 'AuthorizationForm' }),
    form: true,
    repeatable: Object.keys(authorizationQuery),
    headers: browserHeaders,
  },
  openapiExamples: { body: { client_id: 'web', response_type: 'code' } },
  async handle({ body, headers }, context) {
    const given = readForm(body);
    const browser = await openBrowser(context, headers.cookie);
    // Browsers send the cookie with no form of another site, and a new one would end the login that they have.
    return browser.isKnown ? showLogin(context, given, browser) : renderRedirect(`authorize?${toQuery(given)}`);
  },
});

async function showLogin(
  context: OperationContext,
  given: AuthorizationParameters,
  browser: Browser,
): Promise<PageResponse> {
  const pushed = await resolvePushedRequest(context, given);
  const request = await readAuthorizationRequest(context, pushed ?? given);
  if (pushed === undefined && request.client.requirePushedAuthorizationRequests)
    throw createRefusal(request, 'invalid_request', 'The application must push its request to /oauth2/par (RFC 9126).');
  if (!request.prompts.has('none')) context.assertNotFramed();
  return continueLogin(context, { request, browser, isFresh: false });
}
