/** Client authentication at the OAuth endpoints (RFC 6749, 2.3 and 3.2.1): in a header, in the body, or by id only. */
import { apiError } from '../../contract/errors.ts';
import { partyRole } from '../directory/clients.ts';
import { isClientItself, type Principal } from '../directory/principal.ts';
import { isAccepted, matchClientSecret } from '../directory/replaced-secrets.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { Client } from '../store/tables.ts';
import { basicChallenge, createAuthenticationError } from '../tokens/authentication-error.ts';
import { type Authentication, authenticate, authenticateClient } from './authenticate.ts';
import type { BasicCredentials, RequestCredentials } from './credentials.ts';

/**
 * The accepted methods, by their registered names (RFC 7591, 2). `none` is a client without a secret that sends its id.
 * API keys and bearer tokens of clients are accepted too, but have no registered name.
 */
export const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;

export interface ClientAuthenticationRequest {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

export interface ClientAuthenticationDeps {
  readonly authentication: Authentication;
  readonly source: RequestSource;
  /** The credentials of the headers. */
  credentials(): RequestCredentials;
  recordCaller(caller: Principal): void;
  /** Called when the client has authenticated with more than its id: what it creates counts for its owner. */
  markAuthenticated(client: Client): void;
}

export interface AuthenticatedClient {
  readonly client: Client;
  readonly authMethod: Principal['authMethod'];
  /** The client authenticated with its secret or an API key, not with its id or a token only. */
  readonly hasClientCredential: boolean;
  /** The client authenticated with more than its id. */
  readonly authenticated: boolean;
}

/** For the logs and the audit: a client as such, whatever it may do. */
export function recordClient(
  { recordCaller }: Pick<ClientAuthenticationDeps, 'recordCaller'>,
  { client, authMethod }: Pick<AuthenticatedClient, 'client' | 'authMethod'>,
): void {
  const roles = new Set(['CLI-AUTH-IDENTIFIED', partyRole(client)]);
  recordCaller({ authMethod, client, subject: client.clientId, roles, scope: new Set(client.scope) });
}

/**
 * Authenticates the requesting client, and records it as the caller. A client with a secret must send it, or an API key or a token instead.
 * @throws IamError CREDENTIALS_*, TOKEN_INVALID, TOO_MANY_ATTEMPTS.
 */
export async function authenticateTokenClient(
  deps: ClientAuthenticationDeps,
  request: ClientAuthenticationRequest,
): Promise<AuthenticatedClient> {
  const credentials = deps.credentials();
  const clientId = request.clientId ?? credentials.clientId;
  if (credentials.clientId !== undefined && credentials.clientId !== clientId)
    throw apiError('CREDENTIALS_AMBIGUOUS', 'The query and the body name different clients.');
  const headerCredentials = credentials.basic ?? credentials.bearer ?? credentials.apiKey;
  if (headerCredentials !== undefined && request.clientSecret !== undefined)
    throw apiError('CREDENTIALS_AMBIGUOUS', 'The request has client credentials both in a header and in the body.');
  const client = await (headerCredentials === undefined
    ? authenticateFromBody(deps, clientId, request.clientSecret)
    : authenticateFromHeader(deps, credentials));
  if (clientId !== undefined && clientId !== client.client.clientId)
    throw apiError('CREDENTIALS_AMBIGUOUS', 'The client id does not match the credentials.');
  recordClient(deps, client);
  if (client.authenticated) deps.markAuthenticated(client.client);
  return client;
}

async function authenticateFromBody(
  { authentication, source }: ClientAuthenticationDeps,
  clientId: string | undefined,
  secret: string | undefined,
): Promise<AuthenticatedClient> {
  if (clientId === undefined) throw createAuthenticationError('CREDENTIALS_MISSING', basicChallenge);
  if (secret !== undefined)
    return createSecretClient(await authenticateClient(authentication, { name: clientId, secret }, source));
  const principal = await authenticate(authentication, { clientId }, { auth: 'client-id', source });
  if (!principal || principal.client.secretHash !== undefined)
    throw createAuthenticationError('CREDENTIALS_INVALID', basicChallenge);
  return { client: principal.client, authMethod: 'client-id', hasClientCredential: false, authenticated: false };
}

async function authenticateFromHeader(
  { authentication, source }: ClientAuthenticationDeps,
  { clientId: _query, ...credentials }: RequestCredentials,
): Promise<AuthenticatedClient> {
  if (credentials.basic) {
    const passwordCredentials = await decodeClientCredentials(authentication, credentials.basic);
    return createSecretClient(await authenticateClient(authentication, passwordCredentials, source));
  }
  const principal = await authenticate(authentication, credentials, { auth: 'caller', source });
  if (!principal || principal.user) throw createAuthenticationError('TOKEN_INVALID');
  const { client, authMethod } = principal;
  return {
    client,
    authMethod,
    hasClientCredential: authMethod === 'api-key',
    authenticated: isClientItself(principal),
  };
}

/** A parameter without a value counts as omitted (RFC 6749, 3.2). */
export function withoutEmptyParameters<Form extends object>(form: Form): Partial<Form> {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== '')) as Partial<Form>;
}

function createSecretClient(client: Client): AuthenticatedClient {
  return { client, authMethod: 'basic', hasClientCredential: true, authenticated: true };
}

/** OAuth libraries form-encode the pair (RFC 6749, 2.3.1), other callers send it raw: the raw form is tried first. */
async function decodeClientCredentials(deps: Authentication, raw: BasicCredentials): Promise<BasicCredentials> {
  const client = await deps.store.clients.get(raw.name);
  if (isAccepted(matchClientSecret(raw.secret, client, deps.clock.now()))) return raw;
  try {
    return { name: decodeForm(raw.name), secret: decodeForm(raw.secret) };
  } catch {
    return raw;
  }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
