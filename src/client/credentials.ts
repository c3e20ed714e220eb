/** The credentials of the client: authentication headers and the login that obtains tokens. */

import { ClientError } from './errors.ts';
import type { OutgoingRequest } from './request.ts';
import { type ApiResponse, assertSuccess } from './response.ts';
import type { Transport } from './transport.ts';
import type { CallInput } from './types.ts';

export interface ClientSecretCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Calls an operation over the connections of the client, without credentials. */
export type AnonymousCall = (id: string, input: CallInput) => Promise<ApiResponse>;

/** Supplies access tokens that are stored and renewed elsewhere, such as those of a signed-in user. */
export interface TokenSource {
  token(call: AnonymousCall): Promise<string>;
  /** Discards the token if a new one could resolve an error with this code. @returns whether it did. */
  renew(code: string): boolean;
}

/**
 * The credentials of a client. A plain pair logs in and sends the token; `basic` sends the pair with every request.
 * Without credentials, requests are unauthenticated.
 */
export type Credentials =
  | ClientSecretCredentials
  | { readonly token: string }
  | { readonly apiKey: string }
  | { readonly basic: ClientSecretCredentials }
  | { readonly tokens: TokenSource };

/** Persistent storage for a token. */
export interface TokenCache {
  read(): Promise<string | undefined>;
  write(token: { readonly accessToken: string; readonly expiresIn: string }): Promise<void>;
}

export interface AuthSession {
  /** Returns the headers for one request; logs in first if there is no token. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Discards the token if a new login could resolve an error with this code. @returns whether it did. */
  renew(code: string): boolean;
  /** The pair as Basic, for the login operation itself. */
  readonly basic: Readonly<Record<string, string>>;
}

/** Returns the Authorization header for client credentials. */
export function basicAuthorization({ clientId, clientSecret }: ClientSecretCredentials): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')}`;
}

export interface AuthSessionOptions {
  readonly credentials?: Credentials | undefined;
  readonly loginPath: string;
  readonly transport: Transport;
  readonly tokenCache?: TokenCache | undefined;
  readonly call: AnonymousCall;
}

/** Creates the session for the credentials. */
export function createAuthSession(options: AuthSessionOptions): AuthSession {
  const { credentials } = options;
  if (credentials && 'clientId' in credentials) return createLoginSession(credentials, options);
  if (credentials && 'tokens' in credentials) return createTokenSourceSession(credentials.tokens, options.call);
  const headers = staticHeaders(credentials);
  const isBasic = credentials !== undefined && 'basic' in credentials;
  return { headers: async () => headers, renew: () => false, basic: isBasic ? headers : {} };
}

function createTokenSourceSession(tokens: TokenSource, call: AnonymousCall): AuthSession {
  return {
    basic: {},
    headers: async () => ({ authorization: `Bearer ${await tokens.token(call)}` }),
    renew: (code) => tokens.renew(code),
  };
}

type StaticCredentials = Exclude<Credentials, ClientSecretCredentials | { readonly tokens: TokenSource }>;

function staticHeaders(credentials: StaticCredentials | undefined): Readonly<Record<string, string>> {
  if (!credentials) return {};
  if ('token' in credentials) return { authorization: `Bearer ${credentials.token}` };
  if ('apiKey' in credentials) return { 'x-api-key': credentials.apiKey };
  return { authorization: basicAuthorization(credentials.basic) };
}

function createLoginSession(
  credentials: ClientSecretCredentials,
  { loginPath, transport, tokenCache }: AuthSessionOptions,
): AuthSession {
  const basic = { authorization: basicAuthorization(credentials) };
  let token: Promise<string> | undefined;
  let isFresh = false;
  const obtain = async () => {
    const cached = isFresh ? undefined : await tokenCache?.read();
    isFresh = cached === undefined;
    return cached ?? login(transport, loginPath, basic, tokenCache);
  };
  return {
    basic,
    // Concurrent requests share one login.
    headers: async () => {
      token ??= obtain();
      try {
        return { authorization: `Bearer ${await token}` };
      } catch (error) {
        token = undefined;
        throw error;
      }
    },
    // A cached token may predate a role that was granted since, so ROLE_MISSING also renews it.
    renew: (code) => {
      if (code !== 'TOKEN_INVALID' && (code !== 'ROLE_MISSING' || isFresh)) return false;
      token = undefined;
      isFresh = true;
      return true;
    },
  };
}

async function login(
  transport: Transport,
  path: string,
  headers: OutgoingRequest['headers'],
  tokenCache?: TokenCache,
): Promise<string> {
  const response = await transport.send({ method: 'POST', path, headers });
  assertSuccess(response);
  const { accessToken, expiresIn } = (response.body ?? {}) as Record<string, unknown>;
  if (typeof accessToken !== 'string')
    throw new ClientError({
      status: response.status,
      items: [{ code: 'ANSWER_UNREADABLE', message: 'The login response contains no token.' }],
      requestId: response.requestId,
    });
  await tokenCache?.write({ accessToken, expiresIn: String(expiresIn) });
  return accessToken;
}
