/**
 * Credentials for completion requests: those of the command, except that no user is logged in and no session is renewed. A
 * renewal that the timeout interrupts would lose the session.
 */

import { type ResolvedCredentials, resolveCredentials } from '../auth/credentials.ts';
import { expiryMargin, readSession } from '../auth/session-file.ts';
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
  const { kind, token, apiKey, clientId, clientSecret, userName } = credentials;
  return {
    baseUrl,
    credentials,
    owner: [settings.profileName?.value, baseUrl, kind, token, apiKey, clientId, clientSecret, userName],
  };
}

/** The credentials to send: none are needed for public lists. Undefined for a user without a valid session. */
export async function findSendableCredentials(
  { baseUrl, credentials }: CompletionCaller,
  environment: Environment,
): Promise<ResolvedCredentials | undefined> {
  if (credentials.kind === 'user') return undefined;
  if (credentials.kind !== 'session') return credentials;
  const token = await readSessionToken(credentials, baseUrl, environment);
  return token === undefined ? undefined : { kind: 'token', token, origin: credentials.origin };
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
