/** Serves the routes of the control plane beside the interface, through the same pipeline. */
import type { Context } from 'koa';
import { errorTable } from '../../contract/error-codes.ts';
import { apiError, IamError } from '../../contract/errors.ts';
import { controlPrefix } from '../../contract/prefix.ts';
import { parseRoles } from '../../contract/roles.ts';
import { packageVersion } from '../../contract/version.ts';
import type { AppContext } from '../app-context.ts';
import { createPathMatcher } from '../http/paths.ts';
import { parseQuery } from '../http/query.ts';
import { type AnyOperation, type CompileOptions, compileOperation, type OperationHandler } from '../pipeline.ts';
import { buildControlDocument } from './control-document.ts';
import type { ControlRoute } from './define.ts';
import type { ControlGuard } from './guard.ts';
import { controlRoutes } from './routes/index.ts';

/** A step that returns true if it has responded. */
export type ControlPlane = (ctx: Context) => Promise<boolean>;

/** The conventional path of Prometheus, served by a route of the control plane. */
const metricsPath = '/metrics';

/** Returns a control-plane path without its prefix; undefined for other paths. */
export function stripControlPrefix(path: string): string | undefined {
  if (path === metricsPath) return path;
  return path === controlPrefix || path.startsWith(`${controlPrefix}/`) ? path.slice(controlPrefix.length) : undefined;
}

/** With remote access, routes require their capability; otherwise all callers are on this machine and need no credentials. */
export function createControlPlane(appContext: AppContext, guard: ControlGuard): ControlPlane {
  if (appContext.settings.disableControlPlane) return async () => false;
  const options = { controlDocument: createControlDocument(appContext) };
  // A literal segment takes precedence over a parameter in the same position.
  const ordered = [...controlRoutes].sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  const routes = ordered.map((route) => mountRoute(route, appContext, options));
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

/** A separate realm, so that browsers send these credentials to no other path (RFC 7617, 2.2). */
const pageChallenge = 'Basic realm="iam control plane", charset="UTF-8"';

/** Browsers prompt for id and secret on a Basic challenge; a page request has no other way to send credentials. */
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

/** Returns the API document, which is built on the first call. */
function createControlDocument({ baseUrl, settings }: AppContext): () => object {
  let document: object | undefined;
  return () => {
    document ??= buildControlDocument(controlRoutes, {
      version: packageVersion,
      baseUrl,
      isRemote: settings.allowRemote,
    });
    return document;
  };
}

function mountRoute(route: ControlRoute, appContext: AppContext, options: CompileOptions): MountedRoute {
  // The request context comes from the app context, whose clock is adjustable; only the type of these routes exposes it.
  const operation = (appContext.settings.allowRemote ? route : withoutAuthentication(route)) as unknown as AnyOperation;
  return { route, matcher: createPathMatcher(route.path), handle: compileOperation(operation, appContext, options) };
}

/** The route without authentication: credentials in the request are ignored. */
function withoutAuthentication(route: ControlRoute): ControlRoute {
  return { ...route, auth: 'none', roles: parseRoles('none') };
}

/** @throws IamError PATH_UNKNOWN, METHOD_NOT_ALLOWED. */
function findRoute(here: readonly MountedRoute[], method: string): MountedRoute {
  if (here.length === 0) throw apiError('PATH_UNKNOWN');
  const routeMethod = method === 'HEAD' ? 'GET' : method;
  const found = here.find(({ route }) => route.method === routeMethod);
  if (found) return found;
  const allowed = here.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  throw apiError('METHOD_NOT_ALLOWED', undefined, { Allow: [...new Set(allowed)].join(', ') });
}
