/** Who the client is: the headers that say so, and the login behind them. */

import { ClientError } from './errors.ts';
import type { OutgoingRequest } from './request.ts';
import { type ApiResponse, assertSuccess } from './response.ts';
import type { Transport } from './transport.ts';
import type { CallInput } from './types.ts';

export interface ClientSecretCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Calls an operation over the client's connections, without its credentials. */
export type AnonymousCall = (id: string, input: CallInput) => Promise<ApiResponse>;

/** Gives access tokens that somebody else keeps and renews, such as those of a user who logged in. */
export interface TokenSource {
  token(call: AnonymousCall): Promise<string>;
  /** Drops the token where another one could mend a refusal with this code; says whether. */
  renew(code: string): boolean;
}

/**
 * One way of presenting itself. A plain pair logs in and calls with the token; `basic` sends the pair on every call.
 * Left out, calls go without credentials.
 */
export type Credentials =
  | ClientSecretCredentials
  | { readonly token: string }
  | { readonly apiKey: string }
  | { readonly basic: ClientSecretCredentials }
  | { readonly tokens: TokenSource };

/** Where a token is kept beyond the life of a client. */
export interface TokenCache {
  read(): Promise<string | undefined>;
  write(token: { readonly accessToken: string; readonly expiresIn: string }): Promise<void>;
}

export interface AuthSession {
  /** Headers for one call; logs in first where there is no token yet. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Drops the token where a fresh login could mend a refusal with this code; says whether. */
  renew(code: string): boolean;
  /** The pair as Basic, for the login operation itself. */
  readonly basic: Readonly<Record<string, string>>;
}

/** The value of an Authorization header for a pair. */
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

/** Makes the session for the given credentials. */
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
    const kept = isFresh ? undefined : await tokenCache?.read();
    isFresh = kept === undefined;
    return kept ?? login(transport, loginPath, basic, tokenCache);
  };
  return {
    basic,
    // One login for all calls that start together.
    headers: async () => {
      token ??= obtain();
      try {
        return { authorization: `Bearer ${await token}` };
      } catch (error) {
        token = undefined;
        throw error;
      }
    },
    // A role gained lately comes with the next token, so one from the cache may only be too old.
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
      items: [{ code: 'ANSWER_UNREADABLE', message: 'The login answered without a token.' }],
      requestId: response.requestId,
    });
  await tokenCache?.write({ accessToken, expiresIn: String(expiresIn) });
  return accessToken;
}
