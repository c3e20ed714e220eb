/**
 * Credentials for completion requests: only an existing token. Completion does not log in, does not renew tokens and
 * has no access to other credentials.
 */

import { type ResolvedCredentials, resolveCredentials } from '../auth/credentials.ts';
import { expiryMargin, readSession } from '../auth/session-file.ts';
import { type CliSettings, type SettingDefinition, settingDefinitions } from '../config/settings.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import type { Environment } from '../io/io.ts';

type Variables = Environment['variables'];

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

const credentialSettings = ['username', 'password', 'client-id', 'client-secret', 'token', 'api-key'];
const connectionSettings = ['base-url', 'insecure-http', 'proxy', 'ca-file', 'client-cert', 'client-key'];

/** Builds the environment of a lookup command: connection settings and the token. Undefined without a token. */
export async function buildLookupVariables(
  { baseUrl, credentials }: CompletionCaller,
  settings: CliSettings,
  environment: Environment,
): Promise<Variables | undefined> {
  const credential = await readCredential(credentials, baseUrl, environment);
  if (!credential) return undefined;
  const definitions: readonly SettingDefinition[] = settingDefinitions;
  const hidden = definitions
    .filter(({ key }) => credentialSettings.includes(key))
    .map((setting) => [setting.environment, '']);
  const connection = definitions.flatMap((setting) => {
    const value = connectionSettings.includes(setting.key) ? settings.get(setting.key as 'proxy')?.value : undefined;
    return value === undefined ? [] : [[setting.environment, value]];
  });
  return {
    ...environment.variables,
    ...Object.fromEntries([...hidden, ...connection]),
    IAM_PROFILE: settings.profileName?.value ?? '',
    ...credential,
  };
}

/** The credential as a variable; empty if the caller is not signed in, because some lists are public. */
async function readCredential(
  credentials: ResolvedCredentials,
  baseUrl: string,
  environment: Environment,
): Promise<Variables | undefined> {
  if (credentials.kind === 'none') return {};
  if (credentials.kind === 'api-key') return { IAM_API_KEY: credentials.apiKey };
  const token =
    credentials.kind === 'token' ? credentials.token : await readCachedToken(credentials, baseUrl, environment);
  return token === undefined ? undefined : { IAM_TOKEN: token };
}

async function readCachedToken(
  credentials: ResolvedCredentials,
  baseUrl: string,
  environment: Environment,
): Promise<string | undefined> {
  if (credentials.kind === 'session') return readSessionToken(credentials, baseUrl, environment);
  if (credentials.kind !== 'client') return undefined;
  const { createTokenCache } = await import('../auth/token-cache.ts');
  return createTokenCache(baseUrl, credentials, environment).read();
}

async function readSessionToken(
  { profile = '', clientId, userName }: ResolvedCredentials,
  baseUrl: string,
  { variables, now }: Environment,
): Promise<string | undefined> {
  const stored = await readSession(profile, variables);
  const isOurs = stored?.baseUrl === baseUrl && stored.clientId === clientId && stored.userName === userName;
  return isOurs && stored.expiresAt - expiryMargin > now() ? stored.accessToken : undefined;
}
