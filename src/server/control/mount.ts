/** Serves the routes of the control plane beside the interface, through the same pipeline. */
import type { Context } from 'koa';
import { errorTable, fault, IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { parseRoles } from '../../contract/roles.ts';
import { pathMatcher } from '../http/paths.ts';
import { basicChallenge } from '../identity/authenticate.ts';
import { type AnyOperation, compile, type Handler } from '../pipeline.ts';
import type { World } from '../world.ts';
import { type ControlContext, controlPrefix } from './define.ts';
import { requireThisMachine } from './guard.ts';
import { controlRoutes } from './routes.ts';

/** A step that is true where it has answered the call. */
export type ControlPlane = (ctx: Context) => Promise<boolean>;

/** Where it is looked for; it is a route of the control plane all the same. */
const metricsPath = '/metrics';

/** On a server that other machines reach, callers have to show who they are; on any other, to be on this machine. */
export function createControlPlane(world: World): ControlPlane {
  if (world.settings.noControl) return async () => false;
  const isRemote = world.settings.allowRemote;
  const routes = controlRoutes.map((route) => mounted(route, world, isRemote));
  return async (ctx) => {
    const asked: string = ctx.state.path;
    const path = asked === metricsPath ? controlPrefix + metricsPath : asked;
    if (path !== controlPrefix && !path.startsWith(`${controlPrefix}/`)) return false;
    if (!isRemote) requireThisMachine(ctx);
    const { route, handle } = routeOf(routes, ctx.req.method ?? '', path.slice(controlPrefix.length));
    ctx.state.operation = route;
    await handle(ctx, new URLSearchParams(ctx.state.query)).catch((error) => {
      throw isForBrowsers(route) ? askingReader(error) : error;
    });
    return true;
  };
}

function isForBrowsers({ path }: Operation<ControlContext>): boolean {
  return path === '/docs' || path.startsWith('/docs/');
}

/** A browser asks its reader for id and secret where it is told Basic, and has no other way to send any with a page. */
function askingReader(error: unknown): unknown {
  if (!(error instanceof IamError) || errorTable[error.code].status !== 401) return error;
  const [first, ...others] = error.faults;
  if (!first) return error;
  return new IamError([first, ...others], { cause: error, headers: { 'WWW-Authenticate': basicChallenge } });
}

interface Mounted {
  readonly route: Operation<ControlContext>;
  readonly matcher: RegExp;
  readonly handle: Handler;
}

function mounted(route: Operation<ControlContext>, world: World, isRemote: boolean): Mounted {
  // A call's context is made from the world, whose clock can be adjusted; only routes of this kind are told so.
  const operation = (isRemote ? route : opened(route)) as unknown as AnyOperation;
  return { route, matcher: pathMatcher(route.path), handle: compile(operation, world) };
}

/** The same without asking who calls: what is presented all the same is then not looked at. */
function opened(route: Operation<ControlContext>): Operation<ControlContext> {
  return { ...route, auth: 'none', roles: parseRoles('none') };
}

/** @throws IamError PATH_UNKNOWN, METHOD_NOT_ALLOWED. */
function routeOf(routes: readonly Mounted[], method: string, path: string): Mounted {
  const here = routes.filter(({ matcher }) => matcher.test(path));
  if (here.length === 0) throw fault('PATH_UNKNOWN');
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = here.find(({ route }) => route.method === wanted);
  if (found) return found;
  const allowed = here.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  throw fault('METHOD_NOT_ALLOWED', undefined, { Allow: [...new Set(allowed)].join(', ') });
}
