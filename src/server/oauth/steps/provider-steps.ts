/** GET /oauth2/callback/{provider}, and the step of the login pages before it: logins at OpenID providers. */
import { apiError } from '../../../contract/errors.ts';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { createProofError, startAssertionSession } from '../../federation/federated-login.ts';
import { findErrorName } from '../../federation/fetch-document.ts';
import {
  consumeProviderLogin,
  isRedirectProvider,
  providerCallbackPath,
  startProviderLogin,
} from '../../federation/provider-login.ts';
import { defineOperation } from '../../operations/define.ts';
import { openBrowser } from '../../sessions/browser-sessions.ts';
import { renderAutomaticForm, renderRedirect } from '../authorization-response.ts';
import { authorizationErrors } from '../authorize.ts';
import { type LoginRequest, readStoredRequest } from '../device-request.ts';
import {
  createForm,
  type FormMessage,
  type LoginState,
  renderLogin,
  showErrors,
  startBrowserSession,
} from '../login-flow.ts';
import { browserHeaders, pageTraits } from '../page-traits.ts';
import { createMessageError } from '../pages/message-page.ts';
import type { LoginStep } from './login-steps.ts';

/** Sends the browser to the provider. */
export async function redirectToProvider(...[context, state, { provider: name = '' }]: Parameters<LoginStep>) {
  const provider = await context.store.providers.get(name);
  if (!isRedirectProvider(provider)) return renderLogin(context, state);
  const { request, browser } = state;
  const start = { cookie: browser.cookie, query: request.query, isForced: isForced(request) };
  return renderRedirect(await startProviderLogin(context, provider, start));
}

/** Whether the application asks for a login: the user may have a session at the provider, of any age. */
function isForced({ prompts, maxAge }: LoginRequest): boolean {
  return prompts.has('login') || maxAge !== undefined;
}

const ProviderName = textUpTo(64);
const parameter = textUpTo(4000);

export const providerCallback = defineOperation({
  ...pageTraits,
  id: 'oauth2.provider-callback',
  title: 'Log in with an OpenID provider',
  description:
    'Where an OpenID provider sends the browser back (OpenID Connect Core 1.0, 3.1.2.5), in response to the login that this browser started on the login page. The ID token for the code is verified as that of user-identities.login-federated.',
  method: 'GET',
  writes: true,
  path: `${providerCallbackPath}/{provider}`,
  audit: { kind: 'authentication', targets: { path: ['provider'] } },
  status: [200, 303, 400, 401, 404, 412, 422, 500, 503],
  request: {
    params: { provider: ProviderName.meta({ description: 'Name of the provider', examples: ['example-provider'] }) },
    query: {
      state: sensitive(parameter, 'one-time')
        .optional()
        .meta({ description: 'The one of the request', examples: ['c3RhdGU'] }),
      code: sensitive(parameter, 'one-time')
        .optional()
        .meta({ description: 'The code', examples: ['Y29kZQ'] }),
      iss: parameter
        .optional()
        .meta({ description: 'The issuer that responds (RFC 9207)', examples: ['https://login.example.com'] }),
      error: parameter
        .optional()
        .meta({ description: 'Why there is no code (RFC 6749, 4.1.2.1)', examples: ['access_denied'] }),
    },
    headers: browserHeaders,
  },
  identifies: [],
  errors: [
    ...authorizationErrors,
    'FORM_EXPIRED',
    'DEVICE_CODE_INVALID',
    'PROOF_INVALID',
    'SUBJECT_UNKNOWN',
    'PROVIDER_UNAVAILABLE',
    'TOKEN_TOO_LONG',
  ],

  async handle({ params, query: response, headers }, context) {
    const browser = await openBrowser(context, headers.cookie);
    const binding = { state: response.state ?? '', cookie: browser.cookie, provider: params.provider };
    // Also of a browser without a cookie, which started none: the address must not work in the one that did.
    const started = await consumeProviderLogin(context, binding);
    if (!started)
      throw createMessageError(apiError('FORM_EXPIRED'), {
        title: 'This login has expired',
        text: 'It was finished, has taken too long, or another browser has started it. Start again at the application.',
      });
    const { provider } = started;
    const request = await readStoredRequest(context, started.query);
    const state: LoginState = { request, browser, isFresh: false, root: '../' };
    const { name } = provider;
    const errors = {
      codes: ['PROOF_INVALID', 'SUBJECT_UNKNOWN', 'PROVIDER_UNAVAILABLE', 'TOKEN_TOO_LONG'],
      texts: {
        PROOF_INVALID: `You were not logged in with ${name}.`,
        SUBJECT_UNKNOWN: `No user here has this account of ${name}.`,
        PROVIDER_UNAVAILABLE: `${name} cannot be reached. Try again later.`,
      },
      render: (message: FormMessage) => renderLogin(context, state, message),
    };
    return showErrors(errors, async () => {
      // Before the code goes anywhere (RFC 9700, 4.4.2.1).
      if (response.iss !== undefined && response.iss !== provider.issuer)
        throw createProofError('iss of the response is not the issuer of the provider.');
      const { code, error = '' } = response;
      if (error !== '' || code === undefined)
        throw createProofError(`The provider sent no code, but the error ${findErrorName(error) ?? '(unknown)'}.`);
      const authenticatedSince = isForced(request) ? started.startedAt : undefined;
      const exchange = { ...started.binding, code, authenticatedSince };
      const assertion = await context.providers.exchangeCode(provider, exchange);
      // The provider may have used a login of any age, and not say so.
      const { authenticatedAt = 0 } = assertion;
      const next = await startBrowserSession(context, state, { methods: [], authenticatedAt }, (client, options) =>
        startAssertionSession(context, assertion, client, options),
      );
      const form = createForm(context, next);
      // A page of the provider may have started this chain of redirects with a form, whose policy has no other application.
      return renderAutomaticForm('You are logged in', {
        ...form,
        fields: { step: 'continue', form_token: form.formToken },
      });
    });
  },
});
