/** Serves the routes of the control plane beside the interface, through the same pipeline. */
import type { Context } from 'koa';
import { apiError, errorTable, IamError } from '../../contract/errors.ts';
import { parseRoles } from '../../contract/roles.ts';
import type { AppContext } from '../app-context.ts';
import { createPathMatcher } from '../http/paths.ts';
import { parseQuery } from '../http/query.ts';
import { type AnyOperation, compileOperation, type OperationHandler } from '../pipeline.ts';
import { type ControlRoute, controlPrefix } from './define.ts';
import type { ControlGuard } from './guard.ts';
import { controlRoutes } from './routes.ts';

/** A step that is true where it has answered the call. */
export type ControlPlane = (ctx: Context) => Promise<boolean>;

/** Where it is looked for; it is a route of the control plane all the same. */
const metricsPath = '/metrics';

/** What follows the prefix in a path of the control plane; undefined for every other path. */
export function stripControlPrefix(path: string): string | undefined {
  if (path === metricsPath) return path;
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`) ? path.slice(controlPrefix.length) : undefined;
}

/** On a server that other machines reach, routes ask for their capability; on any other, callers are on this machine. */
export function createControlPlane(appContext: AppContext, guard: ControlGuard): ControlPlane {
  if (appContext.settings.disableControlPlane) return async () => false;
  const isRemote = appContext.settings.allowRemote;
  const routes = controlRoutes.map((route) => mountRoute(route, appContext, isRemote));
  return async (ctx) => {
    const path = stripControlPrefix(ctx.state.path);
    if (path === undefined) return false;
    const here = routes.filter(({ matcher }) => matcher.test(path));
    guard.assertAllowed(
      ctx,
      here.some(({ route }) => route.browser === 'page'),
    );
    const { route, handle } = findRoute(here, ctx.req.method ?? '');
    ctx.state.operation = route;
    await handle(ctx, parseQuery(ctx.state.query)).catch((error) => {
      throw route.browser ? toBasicChallenge(error) : error;
    });
    return true;
  };
}

/** A realm of its own, so that browsers send what was typed here nowhere else (RFC 7617, 2.2). */
const pageChallenge = 'Basic realm="iam control plane", charset="UTF-8"';

/** A browser asks its reader for id and secret where it is told Basic, and has no other way to send any with a page. */
function toBasicChallenge(error: unknown): unknown {
  if (!(error instanceof IamError) || errorTable[error.code].status !== 401) return error;
  const [first, ...others] = error.errors;
  if (!first) return error;
  return new IamError([first, ...others], { cause: error, headers: { 'WWW-Authenticate': pageChallenge } });
}

interface MountedRoute {
  readonly route: ControlRoute;
  readonly matcher: RegExp;
  readonly handle: OperationHandler;
}

function mountRoute(route: ControlRoute, appContext: AppContext, isRemote: boolean): MountedRoute {
  // A call's context is made from the appContext, whose clock can be adjusted; only routes of this kind are told so.
  const operation = (isRemote ? route : withoutAuthentication(route)) as unknown as AnyOperation;
  return { route, matcher: createPathMatcher(route.path), handle: compileOperation(operation, appContext) };
}

/** The same without asking who calls: what is presented all the same is then not looked at. */
function withoutAuthentication(route: ControlRoute): ControlRoute {
  return { ...route, auth: 'none', roles: parseRoles('none') };
}

/** @throws IamError PATH_UNKNOWN, METHOD_NOT_ALLOWED. */
function findRoute(here: readonly MountedRoute[], method: string): MountedRoute {
  if (here.length === 0) throw apiError('PATH_UNKNOWN');
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = here.find(({ route }) => route.method === wanted);
  if (found) return found;
  const allowed = here.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  throw apiError('METHOD_NOT_ALLOWED', undefined, { Allow: [...new Set(allowed)].join(', ') });
}
