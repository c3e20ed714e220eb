/** The access token that the credentials in use give, and whether the server takes them. */
import { ClientError } from '../../client/errors.ts';
import { getOperation } from '../find-operation.ts';
import { resolveBaseUrl } from '../runtime/connection.ts';
import type { Context } from '../runtime/context.ts';
import type { ResolvedCredentials } from '../runtime/credentials.ts';
import { send } from '../send.ts';

/**
 * A client is asked to prove itself, a session for its token; a given token speaks for itself.
 * @returns undefined with an API key, which has none.
 */
export async function getCurrentToken(context: Context, credentials: ResolvedCredentials): Promise<string | undefined> {
  if (credentials.kind === 'token' || credentials.kind === 'api-key') return credentials.token;
  const client = await context.connect();
  if (credentials.kind === 'client') {
    const { body } = await client.call('client-identities.login', { signal: context.io.signal });
    return String((body as Record<string, unknown>).accessToken);
  }
  const { createTokenSource } = await import('../runtime/stored-token-source.ts');
  const tokens = createTokenSource(credentials, resolveBaseUrl(context.sources), context.environment, context.manifest);
  return tokens.token((id, input) => client.call(id, { ...input, anonymous: true }));
}

/**
 * One read that needs a sign-in: being refused for want of a role still means that the credentials are taken.
 * @returns whether the caller may list groups
 * @throws ClientError where they are not, or the server does not answer
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
