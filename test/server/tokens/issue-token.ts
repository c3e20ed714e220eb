/** Tokens without a login, as a handler issues them. */
import type { AppContext } from '../../../src/server/app-context.ts';
import type { Client } from '../../../src/server/store/tables.ts';
import { readClientContent, readUserContent } from '../../../src/server/tokens/content.ts';
import type { TokenResponse } from '../../../src/server/tokens/issue.ts';

type Context = Pick<AppContext, 'store' | 'issuer'>;

export async function issueForClient(context: Context, client: Client): Promise<TokenResponse> {
  return context.issuer.issue(await readClientContent(context, client));
}

export async function issueForUser(
  context: Context,
  started: Parameters<typeof readUserContent>[1],
): Promise<TokenResponse> {
  return context.issuer.issue(await readUserContent(context, started));
}
