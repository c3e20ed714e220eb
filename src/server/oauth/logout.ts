/** GET and POST /oauth2/logout (OpenID Connect RP-Initiated Logout 1.0) */
import * as z from 'zod';
import { textUpTo } from '../../contract/schemas/primitives.ts';
import { sensitive } from '../../contract/sensitive.ts';
import { isOwnerActive } from '../directory/clients.ts';
import { takesPartInAnyLogin } from '../directory/login-approval.ts';
import { defineOperation } from '../operations/define.ts';
import type { OperationContext } from '../request-context.ts';
import {
  type Browser,
  createFormToken,
  formatExpiredCookie,
  isFormToken,
  type LoggedIn,
  openBrowser,
} from '../sessions/browser-sessions.ts';
import { endSession } from '../sessions/end-sessions.ts';
import type { Client } from '../store/tables.ts';
import { nameTarget } from './authorization-request.ts';
import { appendQuery, renderRedirect } from './authorization-response.ts';
import { type IdTokenHint, idTokenHint, readIdTokenHint } from './id-token-hint.ts';
import { browserHeaders, pageTraits } from './page-traits.ts';
import { html, renderHiddenFields } from './pages/html.ts';
import { renderPage } from './pages/layout.ts';
import { createInvalidPage, renderMessagePage } from './pages/message-page.ts';
import type { PageResponse } from './pages/page-error.ts';
import { isUsableRedirectUri, matchRedirectUri } from './redirect-uris.ts';

const text = textUpTo(2000);

const parameters = {
  id_token_hint: idTokenHint.optional().meta({
    description: 'ID token of the user, also an expired one',
    examples: ['eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'],
  }),
  client_id: text.optional().meta({ description: 'Id of the application', examples: ['web'] }),
  post_logout_redirect_uri: text
    .optional()
    .meta({ description: 'Where the browser goes: one that is registered', examples: ['https://app.example.com/'] }),
  state: text.optional().meta({ description: 'Returned as it is', examples: ['af0ifjsldkj'] }),
};

const LogoutForm = z
  .object({ ...parameters, form_token: sensitive(text, 'one-time').optional() })
  .meta({ id: 'LogoutForm' });

type LogoutRequest = z.output<typeof LogoutForm>;

const traits = {
  ...pageTraits,
  growthLimit: false,
  path: '/oauth2/logout',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 303, 400, 500],
  errors: ['AUTHORIZATION_INVALID'],
} as const;

export const logout = defineOperation({
  ...traits,
  id: 'oauth2.logout',
  title: 'Log out with a browser (OpenID Connect)',
  description:
    'Ends the session of the browser and those of all applications that it logged in to, but not offline access. With an ID token of the user at once, of a third-party client with one of this session, else after the user has confirmed it. Then the browser is sent to post_logout_redirect_uri, if it is registered for the client and users can log in to it; to that of a third-party client by a link on a page, if no session has ended.',
  method: 'GET',
  writes: true,
  request: { query: parameters, headers: browserHeaders },
  identifies: [],
  handle: async ({ query, headers }, context) => logOut(context, query, await openBrowser(context, headers.cookie)),
});

export const logoutByForm = defineOperation({
  ...traits,
  id: 'oauth2.logout-form',
  title: 'Log out with a browser, by a form',
  description: 'The same as GET /oauth2/logout, with the parameters in a form; also the confirmation of the user.',
  method: 'POST',
  acceptsForeignForms: true,
  request: {
    body: LogoutForm,
    form: true,
    headers: browserHeaders,
  },
  identifies: ['client_id'],
  openapiExamples: { body: { client_id: 'web' } },
  async handle({ body, headers }, context) {
    const { form_token: _, ...request } = body;
    const browser = await openBrowser(context, headers.cookie);
    // Browsers send the cookie with no form of another site, but with the address that it is redirected to (SameSite=Lax).
    if (!browser.isKnown) {
      const pairs = Object.entries(request).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      return renderRedirect(appendQuery('logout', Object.fromEntries(pairs)));
    }
    return logOut(context, body, browser);
  },
});

async function logOut(context: OperationContext, request: LogoutRequest, browser: Browser): Promise<PageResponse> {
  const hint = request.id_token_hint === undefined ? undefined : await readIdTokenHint(context, request.id_token_hint);
  const target = await findTarget(context, request, hint?.aud);
  const { current } = browser;
  if (current) {
    const isConfirmed = request.form_token !== undefined && isFormToken(browser, request.form_token, context);
    if (!isConfirmed && !(await isHintOf(context, hint, current)))
      return renderConfirmation(context, request, browser, target);
    await context.store.transaction((tx) => endSession(tx, current.session));
    context.recordLogin({ userId: current.user.userId });
  }
  // Any page can link here: a browser that is about to log in keeps its cookie.
  const setCookie = current && formatExpiredCookie(context);
  // Without a session no user has decided: such a link to a third-party client needs a click (RFC 9700, 4.11.2).
  if (target && (current || target.client.party === '1STPARTY')) return renderRedirect(target.uri, setCookie);
  return renderMessagePage({
    ...{ title: 'You are logged out', text: 'You can close this page.', setCookie },
    link: target && { href: target.uri, text: `Return to ${nameTarget({ redirectUri: target.uri })}` },
  });
}

/**
 * Whether the user need not confirm the logout. A third-party client keeps ID tokens of sessions that have ended, with which
 * it could end any later one (RP-Initiated Logout 1.0, 2: such a request is suspect).
 */
async function isHintOf(
  { store }: OperationContext,
  hint: IdTokenHint | undefined,
  { user, session }: LoggedIn,
): Promise<boolean> {
  if (hint?.sub !== user.userId) return false;
  return hint.sid === session.sessionId || (await store.clients.get(hint.aud))?.party === '1STPARTY';
}

/** Where the browser goes afterwards. */
interface LogoutTarget {
  readonly client: Client;
  readonly uri: string;
}

/** @returns undefined if nothing was asked for, or users can no longer log in to the client (RFC 9700, 4.11) */
async function findTarget(
  { store }: OperationContext,
  { client_id: clientId, post_logout_redirect_uri: uri, state }: LogoutRequest,
  audience: string | undefined,
): Promise<LogoutTarget | undefined> {
  if (uri === undefined) return undefined;
  const client = await store.clients.get(clientId ?? audience ?? '');
  const isOther = clientId !== undefined && audience !== undefined && clientId !== audience;
  const registered = (isOther ? undefined : client?.postLogoutRedirectURIs)?.filter(isUsableRedirectUri) ?? [];
  if (!client || matchRedirectUri(registered, uri) === undefined)
    throw createInvalidPage('logout', 'post_logout_redirect_uri is not registered for the application.');
  if (!takesPartInAnyLogin(client) || !(await isOwnerActive(store, client))) return undefined;
  return { client, uri: state === undefined || state === '' ? uri : appendQuery(uri, { state }) };
}

/** Any page can link here: without the ID token of the session the user decides. */
function renderConfirmation(
  context: OperationContext,
  { form_token: _, ...request }: LogoutRequest,
  browser: Browser,
  target: LogoutTarget | undefined,
): PageResponse {
  const fields = { ...request, form_token: createFormToken(browser, context) };
  return renderPage({
    title: 'Log out?',
    content: html`<p>You are logged in as <b>${browser.current?.user.userName}</b>. This ends the session of this browser and the tokens of its applications. An application can keep a session of its own until you log out there.</p>
<form method="post" action="logout">${renderHiddenFields(fields)}<button>Log out</button></form>`,
    formTargets: target === undefined ? [] : [target.uri],
  });
}
