/** The Koa app of an app context: the steps of every request, in order. */
import type { RequestListener } from 'node:http';
import Koa from 'koa';
import compose from 'koa-compose';
import type { AppContext } from './app-context.ts';
import { serveConsole } from './console.middleware.ts';
import { createControlGuard } from './control/guard.ts';
import { createRoutes, dispatchRequests } from './dispatch-requests.middleware.ts';
import { handleErrors } from './handle-errors.middleware.ts';
import { allowCors } from './http/cors.ts';
import { createHosts } from './http/hosts.ts';
import type { RequestState } from './http/request-state.ts';
import { oauthOperations } from './oauth/index.ts';
import { operations } from './operations/index.ts';
import type { AnyOperation } from './pipeline.ts';
import { recordRequests } from './record-requests.middleware.ts';
import { serveSandboxes } from './sandbox-router.middleware.ts';
import { serveWellKnown } from './well-known.middleware.ts';

const registry = [...Object.values(operations), ...oauthOperations] as unknown as readonly AnyOperation[];
const routes = createRoutes(registry);

/** Creates the listener of an app context, which serves a request by the steps of its app. */
export function createRequestListener(
  appContext: AppContext,
): (...exchange: Parameters<RequestListener>) => Promise<void> {
  const app = createApp(appContext);
  const serve = compose(app.middleware);
  // Not `app.callback()`: every step here writes its response itself, and Koa's own response, with its listener for the end
  // of a request, takes a third of the time of a read (docs/bench.md).
  return async (request, response) => {
    try {
      await serve(app.createContext(request, response));
    } catch (error) {
      // A bug: `handleErrors` responds to errors.
      appContext.log.error({ err: error }, 'failed to write the response');
      response.destroy();
    }
  };
}

function createApp(appContext: AppContext): Koa<RequestState> {
  const hosts = createHosts(appContext.settings, appContext.baseUrl);
  const guard = createControlGuard(appContext, hosts);
  const app = new Koa<RequestState>();
  app.use(recordRequests(appContext));
  app.use(handleErrors(appContext));
  app.use((ctx, next) => {
    hosts.assertAllowed(ctx.req);
    return next();
  });
  app.use(serveSandboxes(appContext, guard, createRequestListener));
  app.use(allowCors(appContext.settings.corsOrigins, guard.isLocalPage));
  app.use(serveWellKnown(appContext, registry));
  app.use(serveConsole(appContext, guard));
  app.use(dispatchRequests(appContext, routes, guard));
  return app;
}
