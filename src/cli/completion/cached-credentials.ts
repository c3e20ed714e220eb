/**
 * Credentials for completion requests: only an existing token. Completion does not log in, does not renew tokens and
 * has no access to other credentials.
 */

import { type ResolvedCredentials, resolveCredentials } from '../auth/credentials.ts';
import { expiryMargin, readSession } from '../auth/session-file.ts';
import { createTokenCache } from '../auth/token-cache.ts';
import { isSameBaseUrl } from '../config/server-url.ts';
import type { CliSettings } from '../config/settings.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import type { Environment } from '../io/io.ts';

export interface CompletionCaller {
  readonly baseUrl: string;
  readonly credentials: ResolvedCredentials;
  /** Identifies the caller and the server. */
  readonly owner: readonly unknown[];
}

/** Resolves the caller and the server. @throws CliError if a setting is invalid or the server is not trusted */
export function resolveCompletionCaller(settings: CliSettings): CompletionCaller {
  const baseUrl = resolveBaseUrl(settings);
  const credentials = resolveCredentials(settings);
  const { kind, token, apiKey, clientId, userName } = credentials;
  return {
    baseUrl,
    credentials,
    owner: [settings.profileName?.value, baseUrl, kind, token, apiKey, clientId, userName],
  };
}

/** The credentials to send: a token, an API key, or none, because some lists are public. Undefined without a token. */
export async function findSendableCredentials(
  { baseUrl, credentials }: CompletionCaller,
  environment: Environment,
): Promise<ResolvedCredentials | undefined> {
  const { kind, origin } = credentials;
  if (kind === 'none' || kind === 'api-key' || kind === 'token') return credentials;
  const token = await readCachedToken(credentials, baseUrl, environment);
  return token === undefined ? undefined : { kind: 'token', token, origin };
}

async function readCachedToken(
  credentials: ResolvedCredentials,
  baseUrl: string,
  environment: Environment,
): Promise<string | undefined> {
  if (credentials.kind === 'session') return readSessionToken(credentials, baseUrl, environment);
  if (credentials.kind !== 'client') return undefined;
  return createTokenCache(baseUrl, credentials, environment).read();
}

async function readSessionToken(
  { profile = '', clientId, userName }: ResolvedCredentials,
  baseUrl: string,
  { variables, now }: Environment,
): Promise<string | undefined> {
  const stored = await readSession(profile, variables);
  if (!stored || !isSameBaseUrl(stored.baseUrl, baseUrl)) return undefined;
  const isOurs = stored.clientId === clientId && stored.userName === userName;
  return isOurs && stored.expiresAt - expiryMargin > now() ? stored.accessToken : undefined;
}
