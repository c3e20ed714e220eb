/** Finds the route of a request, of an operation or of the control plane, and handles it. */
import { apiError, type IamError } from '../contract/errors.ts';
import { controlPrefix, servicePrefix } from '../contract/prefix.ts';
import type { AppContext } from './app-context.ts';
import type { ControlGuard } from './control/guard.ts';
import { isControlPath, routeOf } from './http/paths.ts';
import { parseQuery } from './http/query.ts';
import type { KoaContext, Middleware } from './http/request-state.ts';
import { setHeader } from './http/response.ts';
import { createRouter, type Router } from './http/router.ts';
import listGroups from './operations/groups/list.ts';
import { type AnyOperation, compileOperation, type MountedRoute, type OperationHandler } from './pipeline.ts';

const noQuery = new URLSearchParams();
const servicePathPrefix = `${servicePrefix}/`;
/** For a path without a prefix. */
const prefixHint = `Path not found. Paths of the service start with ${servicePathPrefix}`;
/** The base of the service, which the start prints. */
const basePaths: readonly string[] = [servicePrefix, servicePathPrefix];

/**
 * Creates the routes of the operations, at the service prefix or at the base URL. All servers and sandboxes of the process
 * share them: only their handlers differ.
 */
export function createRoutes(registry: readonly AnyOperation[]): Router<MountedRoute> {
  return createRouter(registry.map(mountOperation));
}

function mountOperation(operation: AnyOperation): MountedRoute {
  return {
    method: operation.method,
    path: routeOf(operation),
    operation,
    compile: (appContext) =>
      compileOperation(operation, appContext, {
        groupReaders: listGroups.roles,
        faults: appContext.observability?.faults,
        limitGrowth: true,
        guardAccounts: true,
      }),
  };
}

/** The last step. @throws IamError PATH_UNKNOWN, METHOD_NOT_ALLOWED; the errors of the route. */
export function dispatchRequests(
  appContext: AppContext,
  routes: Router<MountedRoute>,
  guard: ControlGuard,
): Middleware {
  const { shared } = appContext.store;
  const hasControlPlane = !appContext.settings.disableControlPlane;
  const findHandler = compileOnce(appContext);
  return (ctx) => (hasControlPlane && isControlPath(ctx.state.path) ? dispatchControl(ctx) : dispatchService(ctx));

  function dispatchService(ctx: KoaContext): Promise<void> {
    const { path } = ctx.state;
    const route = routes.find(ctx.req.method ?? '', path);
    if (!route && basePaths.includes(path)) throw createBaseError(appContext);
    if (!route) throw createUnmatchedError(path, routes.methodsAt(path), false);
    return handle(ctx, route);
  }

  async function dispatchControl(ctx: KoaContext): Promise<void> {
    const { path } = ctx.state;
    const { controlRouter } = await import('./control/control-plane.ts');
    const route = controlRouter.find(ctx.req.method ?? '', path);
    guard.assertAllowed(ctx.state, route?.isPage === true);
    // The request log, the coverage and the metrics are those of the server that responds.
    if (shared) setHeader(ctx, 'X-Iam-Replica', shared.replica);
    if (!route) throw createUnmatchedError(path, controlRouter.methodsAt(path), true);
    return handle(ctx, route);
  }

  function handle(ctx: KoaContext, route: MountedRoute): Promise<void> {
    const { query } = ctx.state;
    ctx.state.operation = route.operation;
    return findHandler(route)(ctx, query === '' ? noQuery : parseQuery(query));
  }
}

/** Compiles a route at its first request: a server or sandbox seldom uses many of them. */
function compileOnce(appContext: AppContext): (route: MountedRoute) => OperationHandler {
  const handlers = new Map<MountedRoute, OperationHandler>();
  return (route) => {
    const known = handlers.get(route);
    if (known) return known;
    const handle = route.compile(appContext);
    handlers.set(route, handle);
    return handle;
  };
}

/** Returns PATH_UNKNOWN with the places that describe the paths. */
function createBaseError({ baseUrl, settings }: AppContext): IamError {
  const more = settings.disableControlPlane ? '' : `, the console at ${baseUrl}${controlPrefix}/console/`;
  return apiError(
    'PATH_UNKNOWN',
    `This is the base of the service: the path of an operation follows it. The API document is at ${baseUrl}/openapi.json${more}.`,
  );
}

/** Returns METHOD_NOT_ALLOWED if the path exists for other methods, PATH_UNKNOWN otherwise. */
function createUnmatchedError(path: string, methods: readonly string[], isControl: boolean): IamError {
  const isServicePath = path.startsWith(servicePathPrefix);
  if (methods.length === 0) return apiError('PATH_UNKNOWN', isServicePath || isControl ? undefined : prefixHint);
  // Preflights of CORS: pages of other machines get none from the control plane.
  const allowed = isControl ? methods : [...methods, 'OPTIONS'];
  return apiError('METHOD_NOT_ALLOWED', undefined, { Allow: allowed.join(', ') });
}
