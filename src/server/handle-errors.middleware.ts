/** Writes the response of a request that failed. */
import { TLSSocket } from 'node:tls';
import { toOAuthError } from '../contract/oauth-errors.ts';
import type { AppContext } from './app-context.ts';
import { ConnectionDroppedError, GatewayResponseError, writeGatewayResponse } from './fault-injection/apply-faults.ts';
import { createErrorResponse } from './http/error-response.ts';
import type { KoaContext, Middleware } from './http/request-state.ts';
import { setHeaders, writeJson } from './http/response.ts';
import { ClientDisconnectedError } from './limits/hash-queue.ts';

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
  setHeaders(ctx, errorResponse.headers);
  const body = operation?.errorFormat === 'oauth' ? toOAuthError(errorResponse.items) : errorResponse.items;
  writeJson(ctx, errorResponse.status, JSON.stringify(body));
}
