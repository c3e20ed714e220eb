/**
 * The request to the authorization endpoint (RFC 6749, 4.1.1; OpenID Connect Core 1.0, 3.1.2.1), validated. An error of the
 * client or the redirect URI is a page, as no browser may be sent to where no client is; every other one is reported at the
 * redirect URI. A third-party client gets a page for errors before the user has acted: anyone who signs up can register a URI
 * (RFC 9700, 4.11.2).
 */
import * as z from 'zod';
import { apiError, type PlainErrorCode } from '../../contract/errors.ts';
import { signInLevels } from '../../contract/testing/sign-in-levels.ts';
import { recordClient } from '../auth/client-authentication.ts';
import { isOwnerActive, readRedirectUris } from '../directory/clients.ts';
import { explainLoginRefusal, nameApplication, takesPartInLogins } from '../directory/login-approval.ts';
import { rolesScope } from '../directory/user-roles.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { OperationContext } from '../request-context.ts';
import type { Client } from '../store/tables.ts';
import { listAudiences } from '../tokens/claims.ts';
import { type AuthorizationTarget, renderResponse } from './authorization-response.ts';
import { idTokenHint, readIdTokenHint } from './id-token-hint.ts';
import { createInvalidPage, renderMessagePage } from './pages/message-page.ts';
import { type PageError, withPage } from './pages/page-error.ts';
import { isUsableRedirectUri, matchRedirectUri } from './redirect-uris.ts';

/** Scopes of OpenID Connect Core 1.0, 5.4 and 11, and that of roles. */
export const openidScopes = ['openid', 'profile', 'email', 'phone', 'offline_access', rolesScope] as const;

export const responseModes = ['query', 'form_post'] as const;

export const prompts = ['none', 'login', 'consent', 'select_account', 'create'] as const;

/** Whether users can create an account on the login page, as with user-identities.create. */
export function maySignUp({ party }: Client): boolean {
  return party === '1STPARTY';
}

/** The parameters, with a description and an example of each. Others are ignored (RFC 6749, 3.1). */
const parameterTexts = {
  client_id: ['Id of the application', 'web'],
  redirect_uri: ['Where the response goes: one that is registered, to the letter', 'https://app.example.com/callback'],
  response_type: ['code', 'code'],
  response_mode: ['query or form_post', 'query'],
  scope: ['Scopes separated by spaces: of OpenID Connect, roles, and of the client', 'openid profile'],
  state: ['Returned as it is', 'af0ifjsldkj'],
  nonce: ['Returned in the ID token', 'n-0S6_WzA2Mj'],
  code_challenge: ['Hash of the code verifier (RFC 7636)', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
  code_challenge_method: ['S256', 'S256'],
  prompt: ['none, login, consent, select_account or create', 'login'],
  max_age: ['Seconds since the last login of the user', '3600'],
  login_hint: ['Name of the user', 'alice'],
  id_token_hint: ['ID token of the user, also an expired one', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln'],
  acr_values: ['Authentication levels, the preferred one first', 'AUTH-MFA'],
  resource: ['Services that the tokens are for (RFC 8707)', 'https://api.example.com'],
  request: ['Not supported', 'e30.e30.'],
  request_uri: [
    'The reference to a request that the application pushed to /oauth2/par, beside client_id; no other is supported',
    'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c',
  ],
  registration: ['Not supported', '{}'],
} as const;

type ParameterName = keyof typeof parameterTexts;

const parameterValue = z.string().max(4000, 'is too long');

/** Each can be repeated, so that a repeated one is reported at the redirect URI. */
export const authorizationQuery = mapParameters((value, [description, example]) =>
  repeatParameter(value.meta({ examples: [example] }))
    .optional()
    .describe(description),
);

/** The same parameters in a form. */
export const authorizationForm = mapParameters((value) => z.union([value, repeatParameter(value)]).optional());

function mapParameters<Schema>(toSchema: (value: z.ZodString, texts: readonly [string, string]) => Schema) {
  const entries = Object.entries(parameterTexts).map(([name, texts]) => [
    name,
    toSchema(name === 'id_token_hint' ? idTokenHint : parameterValue, texts),
  ]);
  return Object.fromEntries(entries) as Record<ParameterName, Schema>;
}

/** @param value the schema of each of its values; the list is as sensitive as these */
function repeatParameter(value: z.ZodString) {
  const values = z.array(value).max(20, 'is repeated too often');
  return values.meta({ sensitive: value.meta()?.sensitive });
}

/** The parameters of a form, as those of a query. */
export function readForm(
  form: Readonly<Record<string, string | readonly string[] | undefined>>,
): AuthorizationParameters {
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, [value ?? []].flat()]));
}

/** The values of each parameter, as sent. */
export type AuthorizationParameters = {
  readonly [Name in ParameterName]?: readonly string[] | undefined;
};

/** What the pages of a login know of the reason for it. */
export interface LoginFor {
  readonly client: Client;
  /** The requested part of the client's scope; undefined for all of it. */
  readonly scope: readonly string[] | undefined;
  readonly openidScopes: readonly string[];
  readonly prompts: ReadonlySet<(typeof prompts)[number]>;
  /** Seconds since the last login. */
  readonly maxAge?: number | undefined;
  readonly loginHint?: string | undefined;
  /** In the order of preference. */
  readonly levels: readonly (typeof signInLevels)[number][];
  readonly resources?: readonly string[] | undefined;
  /** The same as a query. */
  readonly query: string;
}

interface ClientTarget extends AuthorizationTarget {
  readonly client: Client;
}

export interface AuthorizationRequest extends LoginFor, ClientTarget {
  readonly device?: undefined;
  /** The requests of this login, in the request log. */
  readonly flow: string;
  /** The user of the ID token that the application sent. */
  readonly hintedUserId?: string | undefined;
  readonly isRedirectUriGiven: boolean;
  readonly nonce?: string | undefined;
  readonly codeChallenge?: string | undefined;
}

/** @throws PageError for every request that cannot be served. */
export async function readAuthorizationRequest(
  context: OperationContext,
  given: AuthorizationParameters,
): Promise<AuthorizationRequest> {
  const flow = hashSecret(toQuery(given)).slice(-16);
  context.recordFlow(flow);
  const client = await requireParticipant(context, given.client_id);
  // The application named itself, and sent a browser.
  recordClient(context, { client, authMethod: 'client-id' });
  const { redirectUri, isGiven } = requireRedirectUri(client, given.redirect_uri);
  const target = { ...readTarget(given, redirectUri, context.issuerUrl), client };
  const request = new ParameterReader(given, target).read(context, isGiven);
  return { ...request, flow, hintedUserId: await readHintedUser(context, target, given.id_token_hint) };
}

/** The user that the application knows (OpenID Connect Core 1.0, 3.1.2.1). */
async function readHintedUser(
  context: OperationContext,
  target: ClientTarget,
  [token]: readonly string[] = [],
): Promise<string | undefined> {
  if (token === undefined || token === '') return undefined;
  const hint = await readIdTokenHint(context, token);
  if (!hint) throw createRefusal(target, 'invalid_request', 'id_token_hint is not an ID token of this server.');
  return hint.sub;
}

async function requireParticipant(
  { store }: OperationContext,
  [clientId, ...others]: readonly string[] = [],
): Promise<Client> {
  if (clientId === undefined || clientId === '' || others.length > 0)
    throw createInvalidPage('login', 'The application sent no client_id, or several.');
  const client = await store.clients.get(clientId);
  if (!client || !(await isOwnerActive(store, client)))
    throw createInvalidPage('login', `No application has the id ${clientId.slice(0, 200)}.`);
  if (!takesPartInLogins(client)) throw createInvalidPage('login', explainLoginRefusal(client));
  return client;
}

function requireRedirectUri(client: Client, [given, ...others]: readonly string[] = []) {
  // A parameter without a value counts as omitted (RFC 6749, 3.1).
  const requested = given === '' ? undefined : given;
  const registered = readRedirectUris(client).filter(isUsableRedirectUri);
  const [only] = registered;
  if (requested === undefined && registered.length === 1 && only !== undefined)
    return { redirectUri: only, isGiven: false };
  const redirectUri =
    requested === undefined || others.length > 0 ? undefined : matchRedirectUri(registered, requested);
  if (redirectUri !== undefined) return { redirectUri, isGiven: true };
  const known =
    registered.length === 0
      ? 'It has none that can be used.'
      : 'It must be one of those of the application, to the letter.';
  const sent = [requested ?? '(none)', ...others].join(' and ').slice(0, 200);
  throw createInvalidPage(
    'login',
    `The redirect URI ${sent} is not registered for ${nameApplication(client)}. ${known}`,
  );
}

function readTarget(given: AuthorizationParameters, redirectUri: string, issuer: string): AuthorizationTarget {
  const mode = responseModes.find((name) => name === given.response_mode?.[0]) ?? 'query';
  const state = given.state?.length === 1 ? given.state[0] || undefined : undefined;
  return { redirectUri, mode, state, issuer };
}

/** Parameters that are refused whatever their value, and the error of each. */
const refusedParameters = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
} as const;

/** Base64url of a SHA-256 (RFC 7636, 4.2). */
const challengePattern = /^[A-Za-z0-9_-]{43}$/;

class ParameterReader {
  readonly #given: AuthorizationParameters;
  readonly #target: ClientTarget;

  constructor(given: AuthorizationParameters, target: ClientTarget) {
    this.#given = given;
    this.#target = target;
  }

  read(context: OperationContext, isRedirectUriGiven: boolean): Omit<AuthorizationRequest, 'flow'> {
    this.#assertSupported();
    const { openidScopes, scope, isExceeded } = splitScopes(this.#value('scope'), this.#target.client);
    if (isExceeded) this.#refuse('invalid_scope', 'The client may not request one of the scopes.');
    if (openidScopes.includes('openid') && !isRedirectUriGiven)
      this.#refuse('invalid_request', 'redirect_uri is required with the scope openid.');
    return {
      ...this.#target,
      isRedirectUriGiven,
      scope,
      openidScopes,
      nonce: this.#value('nonce'),
      codeChallenge: this.#readChallenge(),
      prompts: this.#readPrompts(),
      maxAge: this.#readMaxAge(),
      loginHint: this.#value('login_hint'),
      levels: this.#words('acr_values').flatMap((word) => signInLevels.filter((level) => level === word)),
      resources: this.#readResources(context),
      query: toQuery(this.#given),
    };
  }

  #assertSupported(): void {
    for (const [name, values = []] of Object.entries(this.#given))
      if (values.length > 1 && name !== 'resource') this.#refuse('invalid_request', `${name} is given more than once.`);
    for (const [name, error] of Object.entries(refusedParameters))
      if (this.#value(name as keyof typeof refusedParameters) !== undefined)
        this.#refuse(error, `The parameter ${name} is not supported.`);
    const mode = this.#value('response_mode');
    if (mode !== undefined && !responseModes.some((name) => name === mode))
      this.#refuse('invalid_request', 'response_mode must be query or form_post.');
    const type = this.#value('response_type');
    if (type === undefined) this.#refuse('invalid_request', 'response_type is required.');
    if (type !== 'code') this.#refuse('unsupported_response_type', 'response_type must be code.');
  }

  #readChallenge(): string | undefined {
    const { secretHash, requirePkce = true } = this.#target.client;
    const challenge = this.#value('code_challenge');
    const method = this.#value('code_challenge_method');
    if (challenge === undefined) {
      if (method !== undefined)
        this.#refuse('invalid_request', 'code_challenge_method is given without code_challenge.');
      if (requirePkce || secretHash === undefined)
        this.#refuse('invalid_request', 'code_challenge is required (PKCE, RFC 7636).');
      return undefined;
    }
    // Without a method it would be plain, which protects nothing.
    if (method !== 'S256') this.#refuse('invalid_request', 'code_challenge_method must be S256.');
    if (!challengePattern.test(challenge))
      this.#refuse('invalid_request', 'code_challenge must be 43 characters of base64url.');
    return challenge;
  }

  #readPrompts(): AuthorizationRequest['prompts'] {
    const words = this.#words('prompt');
    const supported = prompts.filter((name) => name !== 'create' || maySignUp(this.#target.client));
    const known = supported.filter((name) => words.includes(name));
    if (words.length !== known.length) this.#refuse('invalid_request', `prompt must be of ${supported.join(', ')}.`);
    if (known.includes('none') && known.length > 1) this.#refuse('invalid_request', 'prompt none allows no other.');
    return new Set(known);
  }

  #readResources(context: OperationContext): readonly string[] | undefined {
    const { resources, isForeign } = readResources(context, this.#target.client, this.#given.resource);
    if (isForeign) this.#refuse('invalid_target', 'The client may not request a token for this resource.');
    return resources;
  }

  #readMaxAge(): number | undefined {
    const text = this.#value('max_age');
    if (text === undefined) return undefined;
    if (!/^\d{1,15}$/.test(text)) this.#refuse('invalid_request', 'max_age must be a number of seconds.');
    return Number(text);
  }

  /** A parameter without a value counts as omitted (RFC 6749, 3.1). */
  #value(name: keyof AuthorizationParameters): string | undefined {
    return this.#given[name]?.[0] || undefined;
  }

  #words(name: keyof AuthorizationParameters): string[] {
    return splitWords(this.#value(name));
  }

  #refuse(error: string, description: string): never {
    throw createRefusal(this.#target, error, description);
  }
}

/** Of OpenID Connect Core 1.0, 5.4, without a claim here: libraries request all of them. */
const ignoredScopes: readonly string[] = ['address'];

/** The requested scopes: those of OpenID Connect, and those of the client; undefined for all of it. */
export function splitScopes(requested: string | undefined, client: Client) {
  const isKnown = (name: string) => !ignoredScopes.includes(name) || client.scope.includes(name);
  const words = splitWords(requested);
  const names = [...new Set(words)].filter(isKnown);
  const openid = names.filter((name) => openidScopes.some((known) => known === name));
  const scope = names.filter((name) => !openid.includes(name));
  const isOwn = client.party === '1STPARTY';
  // The tokens of own applications are those of every login. Others get what the client has now, to which the user agrees.
  const omitted = isOwn ? undefined : words.length === 0 ? client.scope : [];
  return {
    openidScopes: openid,
    scope: scope.length === 0 ? omitted : scope,
    isExceeded: scope.some((name) => !client.scope.includes(name)),
  };
}

/** The requested audiences (RFC 8707, 2); undefined for all of the client. */
export function readResources(
  { issuerUrl }: Pick<OperationContext, 'issuerUrl'>,
  client: Client,
  requested: readonly string[] = [],
) {
  const names = requested.filter((name) => name !== '');
  const known = listAudiences(client, issuerUrl);
  return {
    resources: names.length === 0 ? undefined : names,
    isForeign: names.some((name) => !known.includes(name)),
  };
}

function splitWords(text = ''): string[] {
  return text.split(' ').filter((word) => word !== '');
}

const codesOfErrors: Readonly<Record<string, PlainErrorCode>> = {
  ...{ invalid_scope: 'SCOPE_EXCEEDED', invalid_target: 'TARGET_INVALID', access_denied: 'LOGIN_REFUSED' },
  ...{ login_required: 'LOGIN_REQUIRED', interaction_required: 'LOGIN_REQUIRED', consent_required: 'LOGIN_REQUIRED' },
};

/**
 * The error to throw: it redirects to the application or, before the user of a third-party client has acted, is a page.
 * @param error the registered name (RFC 6749, 4.1.2.1; OpenID Connect Core 1.0, 3.1.2.6); access_denied by the user alone
 * @param setCookie after a login or a second factor, which stays in effect
 */
export function createRefusal(target: ClientTarget, error: string, description: string, setCookie?: string): PageError {
  const redirect = renderResponse(target, { error, error_description: description }, setCookie);
  const page =
    target.client.party === '1STPARTY' || error === 'access_denied'
      ? redirect
      : renderMessagePage({
          title: `${target.client.appId} made a mistake`,
          text: description,
          link: { href: redirect.location, text: `Return to ${nameTarget(target)}` },
          status: 400,
          setCookie,
        });
  return withPage(apiError(codesOfErrors[error] ?? 'AUTHORIZATION_INVALID', description), page, error);
}

/** Where the browser goes, for the user: a host, or the private scheme of a program. */
export function nameTarget({ redirectUri }: Pick<AuthorizationTarget, 'redirectUri'>): string {
  const { host, protocol } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1);
}

/** The parameters as a query, in one order: forms are bound to it. */
export function toQuery(given: AuthorizationParameters): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(parameterTexts) as ParameterName[])
    for (const value of given[name] ?? []) query.append(name, value);
  return query.toString();
}

export function fromQuery(text: string): AuthorizationParameters {
  const query = new URLSearchParams(text);
  return Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
}
