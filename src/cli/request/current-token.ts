/** Obtains the access token of the current credentials and checks that the server accepts it. */
import { ClientError } from '../../client/errors.ts';
import type { ResolvedCredentials } from '../auth/credentials.ts';
import { createTokenSource } from '../auth/stored-token-source.ts';
import type { Context, RequestContext } from '../context.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { getOperation } from './find-operation.ts';
import { send } from './send.ts';

/**
 * Returns the access token: logs a client in, reads or renews a session's token, or returns a configured token as is.
 * @returns undefined for an API key
 */
export async function getCurrentToken(
  context: RequestContext,
  credentials: ResolvedCredentials,
): Promise<string | undefined> {
  if (credentials.kind === 'token' || credentials.kind === 'api-key') return credentials.token;
  const client = await context.connect();
  if (credentials.kind === 'client') {
    const { body } = await client.call('client-identities.login', { signal: context.io.signal });
    return String((body as Record<string, unknown>).accessToken);
  }
  const tokens = createTokenSource(
    credentials,
    resolveBaseUrl(context.settings),
    context.environment,
    context.manifest,
  );
  return tokens.token((id, input) => client.call(id, { ...input, anonymous: true }));
}

/**
 * Sends one authenticated read. A response that reports a missing role still means that the credentials are valid.
 * @returns whether the caller may list groups
 * @throws ClientError if the credentials are rejected; NetworkError if the server does not respond
 */
export async function assertCredentialsAccepted(context: Context): Promise<boolean> {
  try {
    await send(context, getOperation(context.manifest, 'groups.list'), { query: { limit: 1 } });
    return true;
  } catch (error) {
    if (error instanceof ClientError && (error.status === 403 || error.code === 'ROLE_MISSING')) return false;
    throw error;
  }
}
