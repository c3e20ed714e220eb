/** POST /oauth2/login */
import * as z from 'zod';
import { apiError } from '../../contract/errors.ts';
import { decideDevice } from '../auth/codes/device-codes.ts';
import { startBrowserWithoutPassword } from '../auth/sign-in.ts';
import { partyRole } from '../directory/clients.ts';
import type { Principal } from '../directory/principal.ts';
import { startTlsCertificateSession } from '../federation/certificate-login.ts';
import { createProofError } from '../federation/federated-login.ts';
import { contactOf } from '../messaging/contacts.ts';
import { requireFactor } from '../mfa/factors.ts';
import { raiseToMfa, startMfaChallenge } from '../mfa/mfa.ts';
import { defineOperation } from '../operations/define.ts';
import type { OperationContext } from '../request-context.ts';
import { createBrowser, type LoggedIn, openBrowser, toLoggedIn, withCookie } from '../sessions/browser-sessions.ts';
import { authorizationQuery, createRefusal } from './authorization-request.ts';
import { authorizationErrors } from './authorize.ts';
import { userCodeParameter } from './device.ts';
import { type LoginRequest, readLoginRequest } from './device-request.ts';
import {
  adoptSession,
  continueLogin,
  createForm,
  type FormMessage,
  type LoginState,
  logInWithPassword,
  mayChooseAccount,
  readFormState,
  renderLogin,
  showErrors,
  startBrowserSession,
} from './login-flow.ts';
import { canActAsAnyone, findSentCode } from './login-test-features.ts';
import { browserHeaders, pageTraits } from './page-traits.ts';
import { renderCodePage } from './pages/login-pages.ts';
import { createExpiredPage, createMessageError } from './pages/message-page.ts';
import type { PageResponse } from './pages/page-error.ts';
import { type LoginPageFields, type LoginStep, loginPageFields } from './steps/login-steps.ts';
import { redirectToProvider } from './steps/provider-steps.ts';
import { recoveryErrors, recoverySteps } from './steps/recovery-steps.ts';
import { signUpErrors, signUpSteps } from './steps/sign-up-steps.ts';

const steps = {
  ...recoverySteps,
  ...signUpSteps,
  provider: redirectToProvider,
  certificate: logInWithCertificate,
  password: logInWithPassword,
  user: logInForTest,
  continue: (context, state) =>
    continueLogin(context, {
      ...state,
      isFresh: state.isFresh || mayChooseAccount(context, state.request, state.browser.current),
    }),
  switch: (context, state) => renderLogin(context, state),
  factor: sendCode,
  code: confirmCode,
  consent: decide,
  cancel: (context, { request }) => refuseByUser(context, request, 'The user cancelled the login.'),
} satisfies Readonly<Record<string, LoginStep>>;

type StepName = keyof typeof steps;

export const login = defineOperation({
  ...pageTraits,
  id: 'oauth2.login',
  title: 'Send a form of the login pages',
  description:
    'What the pages of GET /oauth2/authorize send, with the authorization request in the query: a name and a password, a factor, a code, a decision. The form must come from a page that this browser got.',
  method: 'POST',
  path: '/oauth2/login',
  audit: { kind: 'authentication', targets: {} },
  status: [200, 303, 400, 401, 403, 404, 412, 422, 429, 500],
  request: {
    query: {
      ...authorizationQuery,
      user_code: userCodeParameter
        .optional()
        .meta({ description: 'Of a device, in place of all others', examples: ['BCDF-GHJK'] }),
    },
    headers: browserHeaders,
    body: z
      .object({ step: z.enum(Object.keys(steps) as StepName[]), ...loginPageFields })
      .meta({ id: 'LoginPageForm' }),
    form: true,
  },
  identifies: ['user_name', 'user_id', 'email'],
  errors: [
    ...authorizationErrors,
    'FORM_EXPIRED',
    'DEVICE_CODE_INVALID',
    'LOGIN_REFUSED',
    'PROOF_INVALID',
    'CREDENTIALS_INVALID',
    'TOO_MANY_ATTEMPTS',
    'TOO_BUSY',
    'TOKEN_TOO_LONG',
    'TOKEN_INVALID',
    'USER_NOT_FOUND',
    'USER_LOCKED',
    'USER_MISSING',
    'FACTOR_NOT_FOUND',
    'FACTOR_NOT_VERIFIED',
    ...recoveryErrors,
    ...signUpErrors,
  ],
  openapiExamples: {
    body: { step: 'password', form_token: 'c2VjcmV0', user_name: 'alice', password: 'correct horse battery staple' },
  },

  async handle({ query, headers, body }, context) {
    const browser = await openBrowser(context, headers.cookie);
    // Before the code is looked up: a form of another site brings no cookie, and would count wrong codes of its visitor.
    if (!browser.isKnown && query.user_code !== undefined) throw createExpiredPage('device');
    const request = await readLoginRequest(context, query);
    const state = readFormState(context, { request, browser }, body.form_token);
    if (!state) throw createExpiredLogin(request);
    return steps[body.step](context, state, body);
  },
});

function createExpiredLogin({ query, device, client }: LoginRequest) {
  if (device === undefined && client.requirePushedAuthorizationRequests) return createExpiredPage();
  return createExpiredPage(`${device === undefined ? 'authorize' : 'device'}?${query}`);
}

/** Reports it to the application, in its browser or on its device. */
async function refuseByUser(context: OperationContext, request: LoginRequest, description: string): Promise<never> {
  if (request.device === undefined) throw createRefusal(request, 'access_denied', description);
  await decideDevice(context, request.device, undefined);
  const text = `${request.client.appId} is not logged in on the device. You can close this page.`;
  throw createMessageError(apiError('LOGIN_REFUSED', description), { title: 'The login was refused', text });
}

/** The certificate of the TLS connection of the browser, verified as that of user-identities.certificate-login. */
function logInWithCertificate(...[context, state]: Parameters<LoginStep>): Promise<PageResponse> {
  const errors = {
    codes: ['PROOF_INVALID', 'TOKEN_TOO_LONG'],
    texts: { PROOF_INVALID: 'No user can log in with the certificate of this browser.' },
    render: (message: FormMessage) => renderLogin(context, state, message),
  };
  return showErrors(errors, async () => {
    const certificate = context.clientCertificate();
    if (!certificate) throw createProofError('The browser sent no certificate.');
    const next = await startBrowserSession(context, state, { methods: ['pop'] }, (client, options) =>
      startTlsCertificateSession(context, certificate, client, options),
    );
    return continueLogin(context, next);
  });
}

/** Without a password: with test features, for a person at this machine. */
async function logInForTest(
  context: OperationContext,
  state: LoginState,
  form: LoginPageFields,
): Promise<PageResponse> {
  if (!canActAsAnyone(context)) throw createExpiredLogin(state.request);
  const { user_id: userId = '', level = 'AUTH-BASIC' } = form;
  const { clientId } = state.request.client;
  const next = await startBrowserWithoutPassword({ userId, level, clientId }, context);
  context.recordLogin({ userId: next.current.user.userId });
  return continueLogin(context, await adoptSession(context, state, next));
}

async function sendCode(context: OperationContext, state: LoginState, form: LoginPageFields): Promise<PageResponse> {
  const { current } = state.browser;
  if (!current) throw createExpiredLogin(state.request);
  const caller = createCaller(state.request, current);
  const { factor = '' } = form;
  const { challengeId: challenge, contact } = await startMfaChallenge(context, caller, factor);
  const sentTo = contactOf(await requireFactor(context.store, current.user, state.request.client, factor));
  const sentCode = await findSentCode(context, [sentTo], challenge);
  return renderCodePage(createForm(context, state), { challenge, factor, contact, sentCode });
}

/** The client acts for the user in the session of the browser. */
function createCaller({ client }: LoginRequest, { user, session }: LoggedIn): Principal & Pick<LoggedIn, 'user'> {
  const roles = new Set(['CLI-AUTH-IDENTIFIED', partyRole(client)]);
  return { authMethod: 'bearer', client, user, session, subject: user.userId, roles, scope: new Set(client.scope) };
}

async function confirmCode(context: OperationContext, state: LoginState, form: LoginPageFields): Promise<PageResponse> {
  const { request, browser } = state;
  const { current } = browser;
  if (!current) throw createExpiredLogin(request);
  const { challenge = '', code = '', factor = '', contact = '' } = form;
  const render = (message: FormMessage) =>
    renderCodePage({ ...createForm(context, state), ...message }, { challenge, factor, contact });
  return showErrors({ codes: ['CODE_INVALID', 'CODE_FAILURES'], render }, async () => {
    const submission = { codeId: challenge, code: code.trim() };
    const next = createBrowser(context);
    const change = { browser: withCookie(current.session, next) };
    const raised = await raiseToMfa(context, createCaller(request, current), submission, change);
    context.recordLogin({ userId: raised.user.userId });
    return continueLogin(context, { ...state, browser: { ...next, current: toLoggedIn(raised) } });
  });
}

async function decide(
  context: OperationContext,
  state: LoginState,
  { decision }: LoginPageFields,
): Promise<PageResponse> {
  const { request, browser } = state;
  if (!browser.current) throw createExpiredLogin(request);
  if (decision !== 'allow') return refuseByUser(context, request, 'The user denied it.');
  return continueLogin(context, { ...state, hasAgreed: true });
}
