/** Reads the credentials of a request from its headers and query. */
import { apiError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { type RequestCredentials, readCredentials } from '../auth/credentials.ts';
import { countHeader } from './headers.ts';
import type { KoaContext } from './request-state.ts';

export function readRequestCredentials(
  ctx: KoaContext,
  search: URLSearchParams,
  operation: Operation<never>,
): RequestCredentials {
  const { authorization, 'x-api-key': apiKey } = ctx.req.headers;
  return readCredentials(
    {
      authorization: assertNotRepeated(ctx, 'authorization') ?? authorization,
      apiKey: assertNotRepeated(ctx, 'x-api-key') ?? apiKey,
      clientIds: operation.auth === 'client-id' ? search.getAll('clientId') : [],
    },
    { userBasicAuth: operation.request.userBasicAuth === true },
  );
}

/** Rejects a repeated header: Node keeps the first Authorization and joins other headers. */
function assertNotRepeated(ctx: KoaContext, name: string): undefined {
  if (countHeader(ctx.req, name) > 1)
    throw apiError('CREDENTIALS_AMBIGUOUS', `The request contains more than one ${name} header.`);
  return undefined;
}
