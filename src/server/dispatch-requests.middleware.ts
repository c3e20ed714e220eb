/** Finds the route of a request, of an operation or of the control plane, and handles it. */
import { apiError, type IamError } from '../contract/errors.ts';
import { servicePrefix } from '../contract/prefix.ts';
import type { AppContext } from './app-context.ts';
import { isControlPath, mountControlRoutes } from './control/control-plane.ts';
import type { ControlGuard } from './control/guard.ts';
import { parseQuery } from './http/query.ts';
import type { Middleware } from './http/request-state.ts';
import { setHeader } from './http/response.ts';
import { routeOf } from './http/route-template.ts';
import { createRouter } from './http/router.ts';
import listGroups from './operations/groups/list.ts';
import { type AnyOperation, compileOperation, type MountedRoute } from './pipeline.ts';

const noQuery = new URLSearchParams();
const servicePathPrefix = `${servicePrefix}/`;
/** For a path without a prefix. */
const prefixHint = `Path not found. Paths of the service start with ${servicePathPrefix}`;

/** Mounts the operations at the service prefix or at the base URL. */
function mountOperations(registry: readonly AnyOperation[], appContext: AppContext): MountedRoute[] {
  const options = {
    groupReaders: listGroups.roles,
    faults: appContext.observability?.faults,
    limitGrowth: true,
    guardAccounts: true,
  };
  return registry.map((operation) => ({
    method: operation.method,
    path: routeOf(operation),
    operation,
    handle: compileOperation(operation, appContext, options),
  }));
}

/** The last step. @throws IamError PATH_UNKNOWN, METHOD_NOT_ALLOWED; the errors of the route. */
export function dispatchRequests(
  appContext: AppContext,
  registry: readonly AnyOperation[],
  guard: ControlGuard,
): Middleware {
  const { shared } = appContext.store;
  const hasControlPlane = !appContext.settings.disableControlPlane;
  const controlRoutes = hasControlPlane ? mountControlRoutes(appContext) : [];
  const router = createRouter([...mountOperations(registry, appContext), ...controlRoutes]);
  return (ctx) => {
    const { path, query } = ctx.state;
    const route = router.find(ctx.req.method ?? '', path);
    const isControl = hasControlPlane && isControlPath(path);
    if (isControl) guard.assertAllowed(ctx.state, route?.isPage === true);
    // The request log, the coverage and the metrics are those of the server that responds.
    if (isControl && shared) setHeader(ctx, 'X-Iam-Replica', shared.replica);
    if (!route) throw createUnmatchedError(path, router.methodsAt(path), isControl);
    ctx.state.operation = route.operation;
    return route.handle(ctx, query === '' ? noQuery : parseQuery(query));
  };
}

/** Returns METHOD_NOT_ALLOWED if the path exists for other methods, PATH_UNKNOWN otherwise. */
function createUnmatchedError(path: string, methods: readonly string[], isControl: boolean): IamError {
  const isServicePath = path.startsWith(servicePathPrefix);
  if (methods.length === 0) return apiError('PATH_UNKNOWN', isServicePath || isControl ? undefined : prefixHint);
  // Preflights of CORS: the control plane responds to none.
  const allowed = isControl ? methods : [...methods, 'OPTIONS'];
  return apiError('METHOD_NOT_ALLOWED', undefined, { Allow: allowed.join(', ') });
}
