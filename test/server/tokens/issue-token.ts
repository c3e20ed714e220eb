/** Tokens without a login, as a handler issues them. */
import type { AppContext } from '../../../src/server/app-context.ts';
import type { Client } from '../../../src/server/store/tables.ts';
import { readClientContent, readUserContent } from '../../../src/server/tokens/content.ts';
import type { TokenResponse } from '../../../src/server/tokens/issue.ts';

type Context = Pick<AppContext, 'store' | 'issuer'>;

export async function issueForClient({ store, issuer }: Context, client: Client): Promise<TokenResponse> {
  return issuer.issue(await readClientContent(store, client));
}

export async function issueForUser(
  { store, issuer }: Context,
  started: Parameters<typeof readUserContent>[1],
): Promise<TokenResponse> {
  return issuer.issue(await readUserContent(store, started));
}
