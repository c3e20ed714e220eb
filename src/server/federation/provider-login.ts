/**
 * Logins at an OpenID provider: the authorization code flow (OpenID Connect Core 1.0, 3.1) as a client without a secret, with
 * PKCE. Each provider has a redirect URI of its own, so that no provider gets a code of another one (RFC 9700, 4.4.2.2).
 */
import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import type { Reader, Store } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Provider } from '../store/tables.ts';
import { consumeOneTimeToken, issueOneTimeToken, oneTimeTokenLifetimes } from '../tokens/one-time-tokens.ts';
import { createProofError } from './federated-login.ts';
import {
  createUnavailableError,
  describeFailure,
  fetchDocument,
  findRefusal,
  type ProviderRequestOptions,
  ProviderStatusError,
} from './fetch-document.ts';
import type { IdToken, OpenIdProvider } from './openid.ts';

/** A provider that browsers can be sent to. */
export type RedirectProvider = OpenIdProvider & {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
};

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly storeSecret: StoreSecret;
  readonly baseUrl: string;
}

/** Whether browsers can be sent to it. */
export function isRedirectProvider(provider: Provider | undefined): provider is RedirectProvider {
  return (
    provider?.kind === 'oidc' && provider.authorizationEndpoint !== undefined && provider.tokenEndpoint !== undefined
  );
}

export async function listRedirectProviders(reader: Pick<Reader, 'providers'>): Promise<RedirectProvider[]> {
  return (await reader.providers.find('kind', 'oidc')).filter(isRedirectProvider);
}

export interface ProviderLoginStart {
  /** The cookie of the browser, which alone can finish the login. */
  readonly cookie: string;
  /** The request of the application, as a query. */
  readonly query: string;
  /** Whether the user logs in there again. */
  readonly isForced: boolean;
}

/** @returns where the browser goes */
export async function startProviderLogin(
  deps: Deps,
  provider: RedirectProvider,
  { cookie, query, isForced }: ProviderLoginStart,
): Promise<string> {
  const providerLogin = {
    provider: provider.name,
    cookieHash: hashSecret(cookie),
    sealedQuery: deps.storeSecret.seal(query),
  };
  const row = { kind: 'provider-login', providerLogin } as const;
  const { value: state } = await deps.store.transaction((tx) => issueOneTimeToken(tx, row, deps));
  const { codeVerifier, nonce } = deriveSecrets(deps, state);
  const url = new URL(provider.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: toRedirectUri(deps, provider),
    scope: 'openid email',
    state,
    nonce,
    code_challenge: hash('sha256', codeVerifier, 'base64url'),
    code_challenge_method: 'S256',
    // With max_age the ID token has auth_time. It is checked: a person at the browser can remove both parameters.
    ...(isForced ? { prompt: 'login', max_age: '0' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** What finishes a login: see `Providers.exchangeCode`. */
export interface CodeResponse {
  readonly code: string;
  readonly codeVerifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
  readonly authenticatedSince?: IdToken['authenticatedSince'];
}

export interface StartedProviderLogin {
  readonly provider: RedirectProvider;
  readonly query: string;
  /** Epoch seconds. */
  readonly startedAt: number;
  /** All of the response but its code. */
  readonly binding: Omit<CodeResponse, 'code'>;
}

/** The login that this browser started with the state, once; undefined for any other state. */
export async function consumeProviderLogin(
  deps: Deps,
  { state, cookie, provider: name }: { readonly state: string; readonly cookie: string; readonly provider: string },
): Promise<StartedProviderLogin | undefined> {
  const row = await deps.store.transaction((tx) => consumeOneTimeToken(tx, 'provider-login', state, deps.clock));
  const { providerLogin: login, expiresAt = 0 } = row ?? {};
  if (login === undefined || login.provider !== name || login.cookieHash !== hashSecret(cookie)) return undefined;
  const [provider, query] = [await deps.store.providers.get(name), deps.storeSecret.open(login.sealedQuery)];
  if (!isRedirectProvider(provider) || query === undefined) return undefined;
  const startedAt = expiresAt - oneTimeTokenLifetimes['provider-login'];
  const binding = { ...deriveSecrets(deps, state), redirectUri: toRedirectUri(deps, provider) };
  return { provider, query, startedAt, binding };
}

/** Only the hash of the state is stored, so that no copy of the store finishes a login. */
function deriveSecrets({ storeSecret }: Deps, state: string) {
  return {
    codeVerifier: storeSecret.digest('code verifier for a provider', state),
    nonce: storeSecret.digest('nonce for a provider', state),
  };
}

export const providerCallbackPath = '/oauth2/callback';

/** Registered at the provider, to the letter. */
function toRedirectUri({ baseUrl }: Deps, { name }: RedirectProvider): string {
  return `${baseUrl}${providerCallbackPath}/${name}`;
}

const TokenResponse = z.object({ id_token: z.string() });

/**
 * The ID token for a code.
 * @throws IamError PROOF_INVALID if the provider refuses the code; PROVIDER_UNAVAILABLE for any other failure.
 */
export async function fetchIdToken(
  { clientId, tokenEndpoint }: RedirectProvider,
  { code, codeVerifier, redirectUri }: CodeResponse,
  { log, ...options }: Omit<ProviderRequestOptions, 'form'> & { readonly log: Log },
): Promise<string> {
  const form = {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  };
  try {
    return TokenResponse.parse(await fetchDocument(tokenEndpoint, { ...options, form })).id_token;
  } catch (error) {
    log.warn({ error: describeFailure(error), url: tokenEndpoint }, 'an identity provider issued no ID token');
    if (error instanceof ProviderStatusError && error.status < 500)
      throw createProofError(`The token endpoint of the provider refused the code: ${error.message}.`);
    throw createUnavailableError(findRefusal(error));
  }
}
