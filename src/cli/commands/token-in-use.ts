/** The access token that the credentials in use give. */
import { baseUrlOf } from '../runtime/connection.ts';
import type { Context } from '../runtime/context.ts';
import type { SignIn } from '../runtime/sign-in.ts';

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
  const tokens = tokensOf(found, baseUrlOf(context.sources), context.environment);
  return tokens.token((id, input) => client.call(id, { ...input, anonymous: true }));
}
