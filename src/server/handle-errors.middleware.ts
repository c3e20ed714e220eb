/** Writes the response of a request that failed. */
import { TLSSocket } from 'node:tls';
import { type OAuthError, toOAuthError } from '../contract/oauth-errors.ts';
import type { AppContext } from './app-context.ts';
import { ConnectionDroppedError, GatewayResponseError, writeGatewayResponse } from './fault-injection/apply-faults.ts';
import { createErrorResponse, type ErrorResponse } from './http/error-response.ts';
import type { KoaContext, Middleware, RequestState } from './http/request-state.ts';
import { setHeaders, writeJson, writeText } from './http/response.ts';
import { ClientDisconnectedError } from './limits/hash-queue.ts';
import { renderMessagePage } from './oauth/pages/message-page.ts';
import { PageError, type PageResponse } from './oauth/pages/page-error.ts';

export function handleErrors(appContext: AppContext): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      ctx.state.thrown = error;
      if (error instanceof ConnectionDroppedError) dropConnection(ctx, error.isReset);
      else if (error instanceof ClientDisconnectedError) dropConnection(ctx);
      else if (error instanceof GatewayResponseError) writeGatewayResponse(ctx, error.response);
      else writeError(ctx, error, appContext);
    }
  };
}

/** Closes the connection without a response, as a network failure does. With TLS it cannot be reset, only closed. */
function dropConnection(ctx: KoaContext, isReset = false): void {
  const { socket } = ctx.req;
  ctx.state.dropped = true;
  if (isReset && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
  else socket.destroy();
}

/** The page in which a person sees the error; undefined for programs. */
function findPage(
  error: unknown,
  { items, status }: ErrorResponse,
  { operation, requestId }: RequestState,
): PageResponse | undefined {
  if (operation?.errorFormat !== 'page') return undefined;
  if (error instanceof PageError) return error.page;
  const text = items.map(({ message }) => message).join(' ');
  return renderMessagePage({ title: 'This did not work', text, status, requestId });
}

function writeError(ctx: KoaContext, error: unknown, appContext: AppContext): void {
  const { operation, requestId, hasMalformedCredentials, commits } = ctx.state;
  const errorResponse = createErrorResponse(error, {
    operation,
    requestId,
    softErrors: appContext.settings.softErrors,
    hasMalformedCredentials,
    hasCommitted: commits !== undefined,
    log: appContext.log,
  });
  ctx.state.errors = errorResponse.items;
  delete ctx.state.responseHeaders.ETag;
  // A page has no challenge: browsers would ask for a name and a password themselves.
  const { 'WWW-Authenticate': challenge, ...headers } = errorResponse.headers;
  const isPage = operation?.errorFormat === 'page';
  setHeaders(ctx, isPage || challenge === undefined ? headers : errorResponse.headers);
  const page = findPage(error, errorResponse, ctx.state);
  if (page) {
    setHeaders(ctx, page.headers ?? {});
    writeText(ctx, page.status, page);
    return;
  }
  const body = operation?.errorFormat === 'oauth' ? toOAuthBody(error, errorResponse) : errorResponse.items;
  writeJson(ctx, errorResponse.status, JSON.stringify(body));
}

function toOAuthBody(error: unknown, { items }: ErrorResponse): OAuthError {
  return toOAuthError(items, error instanceof PageError ? error.oauthError : undefined);
}
