/** The access token that the credentials in use give, and whether the server takes them. */
import { ClientError } from '../../client/errors.ts';
import { operationOf } from '../operations.ts';
import { baseUrlOf } from '../runtime/connection.ts';
import type { Context } from '../runtime/context.ts';
import type { SignIn } from '../runtime/sign-in.ts';
import { send } from '../send.ts';

/**
 * A client is asked to prove itself, a session for its token; a given token speaks for itself.
 * @returns undefined with an API key, which has none.
 */
export async function tokenInUse(context: Context, found: SignIn): Promise<string | undefined> {
  if (found.kind === 'token' || found.kind === 'api-key') return found.token;
  const client = await context.connect();
  if (found.kind === 'client') {
    const { body } = await client.call('client-identities.login', { signal: context.io.signal });
    return String((body as Record<string, unknown>).accessToken);
  }
  const { tokensOf } = await import('../runtime/session.ts');
  const tokens = tokensOf(found, baseUrlOf(context.sources), context.environment, context.manifest);
  return tokens.token((id, input) => client.call(id, { ...input, anonymous: true }));
}

/**
 * One read that needs a sign-in: being refused for want of a role still means that the credentials are taken.
 * @returns whether the caller may list groups
 * @throws ClientError where they are not, or the server does not answer
 */
export async function requireTaken(context: Context): Promise<boolean> {
  try {
    await send(context, operationOf(context.manifest, 'groups.list'), { query: { limit: 1 } });
    return true;
  } catch (error) {
    if (error instanceof ClientError && (error.status === 403 || error.code === 'ROLE_MISSING')) return false;
    throw error;
  }
}
