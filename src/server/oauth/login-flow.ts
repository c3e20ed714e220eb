/** What a browser login needs next: a login, a second factor, consent; then the code. */
import { IamError } from '../../contract/errors.ts';
import { issueCode } from '../auth/codes/authorization-codes.ts';
import { decideDevice } from '../auth/codes/device-codes.ts';
import { startPasswordSession } from '../auth/login.ts';
import { findUnlockedUser } from '../auth/sign-in.ts';
import { computeLevel } from '../directory/authentication-levels.ts';
import { readRedirectUris } from '../directory/clients.ts';
import type { ExternalSessionOptions } from '../federation/federated-login.ts';
import { listRedirectProviders } from '../federation/provider-login.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { generateSecret } from '../lib/random.ts';
import { contactOf, maskContact } from '../messaging/contacts.ts';
import { listVisibleFactors } from '../mfa/factors.ts';
import type { OperationContext } from '../request-context.ts';
import {
  type Browser,
  createBrowser,
  createFormToken,
  formatCookie,
  isFormToken,
  type LoggedIn,
  type LoginMoment,
  toBrowserPart,
  toLoggedIn,
} from '../sessions/browser-sessions.ts';
import { hasConsented, withConsent } from '../sessions/consents.ts';
import { endSession } from '../sessions/end-sessions.ts';
import type { Transaction } from '../store/store.ts';
import type { Client, Session } from '../store/tables.ts';
import type { UserContent } from '../tokens/content.ts';
import {
  type AuthorizationRequest,
  createRefusal,
  type LoginFor,
  maySignUp,
  nameTarget,
} from './authorization-request.ts';
import { renderResponse } from './authorization-response.ts';
import type { LoginRequest } from './device-request.ts';
import { isHintOfAnother } from './login-hint.ts';
import { listOfferedUsers } from './login-test-features.ts';
import { type LoginPageForm, renderConsentPage, renderFactorPage, renderPasswordPage } from './pages/login-pages.ts';
import { renderMessagePage } from './pages/message-page.ts';
import { PageError, type PageResponse, readFormStatus, withPage } from './pages/page-error.ts';
import { renderSignUpPage } from './pages/sign-up-pages.ts';
import { identifiesApplication } from './redirect-uris.ts';

export interface LoginState {
  readonly request: LoginRequest;
  readonly browser: Browser;
  /** Whether the user has logged in, or chosen the account, for this request. */
  readonly isFresh: boolean;
  /** Whether the user has just agreed. */
  readonly hasAgreed?: true;
  /** Where the other pages are, of one in another folder; default: beside it. */
  readonly root?: string;
}

/** The next page, or the redirect with the code. @throws PageError with the error at the redirect URI for prompt=none. */
export async function continueLogin(context: OperationContext, state: LoginState): Promise<PageResponse> {
  const { request, browser, isFresh } = state;
  const { current } = browser;
  if (!current || (await needsLogin(context, request, current, isFresh))) {
    assertMayAsk(request, 'login_required', 'The user is not logged in.');
    return request.prompts.has('create') ? renderSignUpPage(createForm(context, state)) : renderLogin(context, state);
  }
  const asksForConsent = !state.hasAgreed && needsConsent(request, current);
  // The page for consent is a click, too.
  if (!isFresh && !state.hasAgreed && !asksForConsent && isImitable(request)) {
    assertMayAsk(request, 'interaction_required', 'The user must confirm the login of a program on this machine.');
    return renderLogin(context, state);
  }
  if (request.device === undefined && !isHinted(request, current))
    throw createRefusal(request, 'login_required', 'Another user logged in.', formatCookie(browser, context));
  const factors = await listNeededFactors(context, request, current);
  if (factors.length > 0) {
    assertMayAsk(request, 'interaction_required', 'The user must confirm a second factor.');
    return renderFactorPage(createForm(context, state), factors);
  }
  if (state.hasAgreed) await storeConsent(context, request, current);
  else if (asksForConsent) {
    assertMayAsk(request, 'consent_required', 'The user has not agreed to this.');
    const { userName: user } = current.user;
    const target = request.device === undefined ? nameTarget(request) : undefined;
    const isThirdParty = request.client.party === '3RDPARTY';
    const page = { user, rights: listRights(request), isThirdParty, deviceCode: request.device?.userCode, target };
    return renderConsentPage(createForm(context, state), page);
  }
  return finishLogin(context, state, current);
}

function assertMayAsk(request: LoginRequest, error: string, description: string): void {
  if (request.device === undefined && request.prompts.has('none')) throw createRefusal(request, error, description);
}

async function needsLogin(
  context: OperationContext,
  request: LoginRequest,
  loggedIn: LoggedIn,
  isFresh: boolean,
): Promise<boolean> {
  const prompts: ReadonlySet<string> = request.prompts;
  if (isFresh) return false;
  if (request.device === undefined && !isHinted(request, loggedIn)) return true;
  if (['login', 'select_account', 'create'].some((name) => prompts.has(name))) return true;
  return isTooOld(request, loggedIn, context.clock) || isHintOfAnother(context, request, loggedIn.user);
}

/** An age of 0 asks for a login like `prompt=login`, also in the second of the last one (OpenID Connect Core 1.0, 3.1.2.1). */
function isTooOld({ maxAge }: LoginFor, { session }: LoggedIn, clock: Clock): boolean {
  if (maxAge === undefined) return false;
  return maxAge === 0 || session.browser.authenticatedAt + maxAge < epochSeconds(clock);
}

/** Whether another program can have sent the request, and gets the code. */
function isImitable(request: LoginRequest): boolean {
  const { client, device } = request;
  if (device !== undefined || client.secretHash !== undefined) return false;
  return !identifiesApplication(readRedirectUris(client), request.redirectUri);
}

/** Whether it is the user that the application knows. */
function isHinted({ hintedUserId }: AuthorizationRequest, { user }: LoggedIn): boolean {
  return hintedUserId === undefined || hintedUserId === user.userId;
}

/** The page for a name and a password. */
export async function renderLogin(
  context: OperationContext,
  state: LoginState,
  more: { readonly userName?: string } & Pick<LoginPageForm, 'error' | 'notice' | 'status'> = {},
): Promise<PageResponse> {
  const { request, browser } = state;
  const { userName = request.loginHint, ...message } = more;
  const providers = await listRedirectProviders(context.store);
  const form = { ...createForm(context, state), ...message };
  // Browsers check each redirect after a form (CSP, form-action).
  const formTargets = [...(form.formTargets ?? []), ...providers.map((provider) => provider.authorizationEndpoint)];
  return renderPasswordPage(
    { ...form, formTargets },
    {
      providers: providers.map(({ name }) => name),
      maySignUp: maySignUp(request.client),
      hasCertificate:
        context.clientCertificate() !== undefined &&
        (await context.store.providers.find('kind', 'certificateAuthority', { limit: 1 })).length > 0,
      userName,
      currentUser: mayChooseAccount(context, request, browser.current) ? browser.current?.user.userName : undefined,
      users: await listOfferedUsers(context),
    },
  );
}

/** Whether the logged-in account can be chosen: an application that asks for a login, or a later one, gets one. */
export function mayChooseAccount(
  { clock }: OperationContext,
  request: LoginFor,
  current: LoggedIn | undefined,
): boolean {
  return current !== undefined && !request.prompts.has('login') && !isTooOld(request, current, clock);
}

/** The contacts that can prove the level that the application prefers, if the session lacks it. */
async function listNeededFactors(
  { store, clock }: OperationContext,
  { client, levels: [preferred] }: LoginFor,
  { session, user }: LoggedIn,
) {
  if (preferred !== 'AUTH-MFA' || user.lead || computeLevel(session, epochSeconds(clock)) === 'AUTH-MFA') return [];
  const visible = await listVisibleFactors(store, user, client);
  return visible
    .filter(({ verified }) => verified)
    .map((factor) => ({ id: factor.id, contact: maskContact(contactOf(factor)) }));
}

/** All scopes that the tokens will have, by name. */
function listRequestedScopes({ client, scope = client.scope, openidScopes }: LoginFor): string[] {
  return [...openidScopes, ...scope];
}

function needsConsent(request: LoginRequest, { user }: LoggedIn): boolean {
  const { client, prompts, device } = request;
  // An attacker can have sent the code or the address to the user (RFC 8628, 5.4).
  if (device !== undefined) return true;
  if (prompts.has('consent')) return true;
  return client.party === '3RDPARTY' && !hasConsented(user, client.clientId, listRequestedScopes(request));
}

async function storeConsent({ store, clock }: OperationContext, request: LoginFor, { user }: LoggedIn): Promise<void> {
  const { clientId, party } = request.client;
  await store.transaction(async (tx) => {
    const before = await findUnlockedUser(tx, { userId: user.userId });
    if (party !== '1STPARTY')
      await tx.users.replace(withConsent(before, clientId, listRequestedScopes(request), clock));
  });
}

const rightsInWords = new Map([
  ['openid', 'know which account you are'],
  ['profile', 'see your user name'],
  ['email', 'see your e-mail address'],
  ['phone', 'see your mobile number'],
  ['offline_access', 'act for you while you are away, until you revoke it'],
  ['roles', 'see your business, and see and use your roles, except administrative ones'],
]);

function listRights(request: LoginFor): string[] {
  return listRequestedScopes(request).map((name) => rightsInWords.get(name) ?? `use ${name}`);
}

async function finishLogin(
  context: OperationContext,
  { request, browser }: LoginState,
  { session }: LoggedIn,
): Promise<PageResponse> {
  // The creation of the key takes up to seconds. Libraries wait less for the token endpoint, and a code is valid once.
  if (request.openidScopes.includes('openid')) await context.keys.idTokenSigner(request.client.idTokenAlg ?? 'RS256');
  const setCookie = formatCookie(browser, context);
  if (request.device === undefined) return redirectWithCode(context, request, session, setCookie);
  await decideDevice(context, request.device, session);
  const title = `You are logged in to ${request.client.appId}`;
  return renderMessagePage({ title, text: 'Go on at your device. You can close this page.', setCookie });
}

async function redirectWithCode(
  context: OperationContext,
  request: AuthorizationRequest,
  session: LoggedIn['session'],
  setCookie: string | undefined,
): Promise<PageResponse> {
  const { client, redirectUri, isRedirectUriGiven, codeChallenge, nonce, openidScopes, resources, scope } = request;
  const fault = context.takeAuthorizationFault();
  if (fault === 'access-denied') throw createRefusal(request, 'access_denied', 'The user denied it.', setCookie);
  const issued = await issueCode(
    context,
    {
      ...{ client, scope, redirectUri, isRedirectUriGiven, openidScopes, flow: request.flow },
      ...(codeChallenge === undefined ? {} : { codeChallenge }),
      ...(nonce === undefined ? {} : { nonce: fault === 'wrong-nonce' ? generateSecret(context.random) : nonce }),
      ...(resources === undefined ? {} : { resources }),
    },
    session,
  );
  const target = {
    ...request,
    ...(fault === 'wrong-state' ? { state: generateSecret(context.random) } : {}),
    ...(fault === 'wrong-iss' ? { issuer: 'https://other.example' } : {}),
  };
  const code = fault === 'expired-code' ? generateSecret(context.random) : issued;
  return renderResponse(target, { code }, setCookie);
}

export function logInWithPassword(
  context: OperationContext,
  state: LoginState,
  {
    user_name: userName = '',
    password: secret = '',
  }: { readonly user_name?: string | undefined; readonly password?: string | undefined },
): Promise<PageResponse> {
  const errors = {
    codes: ['CREDENTIALS_INVALID', 'TOO_MANY_ATTEMPTS', 'TOO_BUSY', 'TOKEN_TOO_LONG'],
    texts: { CREDENTIALS_INVALID: 'The user name or the password is wrong.' },
    render: (message: FormMessage) => renderLogin(context, state, { ...message, userName }),
  };
  return showErrors(errors, async () => {
    const next = await startBrowserSession(context, state, { methods: ['pwd'] }, (client, options) =>
      startPasswordSession(context, { name: userName, secret }, client, options),
    );
    return continueLogin(context, next);
  });
}

/** Starts the session of a user in this browser. */
export async function startBrowserSession(
  context: OperationContext,
  state: LoginState,
  login: LoginMoment,
  start: (client: Client, options: ExternalSessionOptions) => Promise<UserContent>,
): Promise<LoginState> {
  const next = createBrowser(context);
  const options = { remember: false, renewable: false, browser: toBrowserPart(context, next, login) };
  const started = await start(state.request.client, options);
  context.recordLogin({ userId: started.user.userId });
  return adoptSession(context, state, { ...next, current: toLoggedIn(started) });
}

/** The browser has the new session from now on: the sessions of applications move to it, or end if the user is another one. */
export async function adoptSession(context: OperationContext, state: LoginState, next: Browser): Promise<LoginState> {
  const before = state.browser.current?.session;
  const after = next.current?.session;
  if (before && after)
    await context.store.transaction(async (tx) => {
      if (before.userId === after.userId) await moveApplications(tx, before, after);
      await endSession(tx, before);
    });
  return { ...state, browser: next, isFresh: true };
}

async function moveApplications(tx: Transaction, before: Session, after: Session): Promise<void> {
  for (const session of await tx.sessions.find('browserSession', before.sessionId))
    if (session.openid)
      await tx.sessions.replace({ ...session, openid: { ...session.openid, browserSessionId: after.sessionId } });
}

/** What every form of this login contains. */
export function createForm(
  context: OperationContext,
  { request, browser, isFresh, root = '' }: LoginState,
): LoginPageForm {
  const { client, query, device } = request;
  return {
    ...{ action: `${root}login?${query}`, application: client.appId },
    formTargets: device === undefined ? [request.redirectUri] : [],
    formToken: createFormToken(browser, context, describeAccepted(request, isFresh)),
    setCookie: formatCookie(browser, context),
  };
}

/**
 * The state of the login whose page has this form; undefined if it is not one of this browser for the same request. A form
 * skips the login only if its page was shown after one, or a choice of the account, for this request.
 */
export function readFormState(
  context: OperationContext,
  { request, browser }: Pick<LoginState, 'request' | 'browser'>,
  token: string,
): LoginState | undefined {
  const isOfPage = (isFresh: boolean) => isFormToken(browser, token, context, describeAccepted(request, isFresh));
  const isFresh = [true, false].find(isOfPage);
  return isFresh === undefined ? undefined : { request, browser, isFresh };
}

/** The request, with what its pages show of the client, which can change meanwhile. */
function describeAccepted(request: LoginRequest, isFresh: boolean): string {
  const target = request.device === undefined ? request.redirectUri : '';
  return [isFresh ? 'fresh' : '', request.query, target, ...listRequestedScopes(request)].join('\n');
}

export type FormMessage = Pick<LoginPageForm, 'error' | 'status'>;

interface FormErrors {
  /** Errors that the user can mend. */
  readonly codes: readonly string[];
  /** In place of their messages. */
  readonly texts?: Readonly<Record<string, string>>;
  /** The page that is shown again, with what was typed. */
  render(message: FormMessage): PageResponse | Promise<PageResponse>;
}

/** Runs a step. Errors that the user can mend are shown on its page. */
export async function showErrors(
  { codes, texts = {}, render }: FormErrors,
  work: () => Promise<PageResponse>,
): Promise<PageResponse> {
  try {
    return await work();
  } catch (error) {
    // One that an inner step shows has its page.
    if (!(error instanceof IamError) || error instanceof PageError || !codes.includes(error.code)) throw error;
    throw withPage(error, await render({ error: texts[error.code] ?? error.message, status: readFormStatus(error) }));
  }
}
