/** The Koa app of an app context: the steps of every request, in order. */
import Koa from 'koa';
import type { AppContext } from './app-context.ts';
import { serveConsole } from './console.middleware.ts';
import { createControlGuard } from './control/guard.ts';
import { createRoutes, dispatchRequests } from './dispatch-requests.middleware.ts';
import { handleErrors } from './handle-errors.middleware.ts';
import { allowCors } from './http/cors.ts';
import { createHosts } from './http/hosts.ts';
import type { Middleware, RequestState } from './http/request-state.ts';
import { oauthOperations } from './oauth/index.ts';
import { operations } from './operations/index.ts';
import type { AnyOperation } from './pipeline.ts';
import { recordRequests } from './record-requests.middleware.ts';
import { serveSandboxes } from './sandbox-router.middleware.ts';
import { serveWellKnown } from './well-known.middleware.ts';

const registry = [...Object.values(operations), ...oauthOperations] as unknown as readonly AnyOperation[];
const routes = createRoutes(registry);

/** Creates the app. */
export function createApp(appContext: AppContext): Koa<RequestState> {
  const hosts = createHosts(appContext.settings, appContext.baseUrl);
  const guard = createControlGuard(appContext, hosts);
  const app = new Koa<RequestState>();
  app.use(bypassKoaResponse(appContext));
  // Of connections: handlers abort through `disconnectSignals`, and errors of steps never get here.
  app.on('error', () => undefined);
  app.use(recordRequests(appContext));
  app.use(handleErrors(appContext));
  app.use((ctx, next) => {
    hosts.assertAllowed(ctx.req);
    return next();
  });
  app.use(serveSandboxes(appContext, guard, createApp));
  app.use(allowCors(appContext.settings.corsOrigins, guard.isLocalPage));
  app.use(serveWellKnown(appContext, registry));
  app.use(serveConsole(appContext, guard));
  app.use(dispatchRequests(appContext, routes, guard));
  return app;
}

/**
 * Every step here writes its response itself. Koa calls that a bypass and advises against it, but its own response takes a
 * third of the time of a read. An error that is thrown nonetheless is a bug: it is logged, and the connection is closed.
 */
function bypassKoaResponse({ log }: AppContext): Middleware {
  return async (ctx, next) => {
    ctx.respond = false;
    try {
      await next();
    } catch (error) {
      log.error({ err: error }, 'failed to write the response');
      ctx.res.destroy();
    }
  };
}
