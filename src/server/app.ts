/** The Koa app of an app context: mounts the operations, one router per area, and writes all error responses. */
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { apiError } from '../contract/errors.ts';
import { toOAuthError } from '../contract/oauth-errors.ts';
import { controlPrefix, servicePrefix } from '../contract/prefix.ts';
import type { AppContext } from './app-context.ts';
import type { AuditLog } from './audit/audit.ts';
import { buildAuditEvent } from './audit/event.ts';
import { type ControlPlane, createControlPlane } from './control/control-plane.ts';
import { createControlGuard } from './control/guard.ts';
import { formatCallerName, isUnprivileged } from './directory/principal.ts';
import { ConnectionDroppedError } from './fault-injection/apply-faults.ts';
import { createCors } from './http/cors.ts';
import { createErrorResponse } from './http/error-response.ts';
import { createHosts } from './http/hosts.ts';
import { createPathMatcher, splitTarget, toRouterPath } from './http/paths.ts';
import { parseQuery } from './http/query.ts';
import { setHeaders, startResponse, writeJson } from './http/response.ts';
import { ClientDisconnectedError } from './lib/client-disconnected-error.ts';
import { createSourceReader, type SourceReader } from './lib/request-source.ts';
import { recordRequest } from './observability/record-request.ts';
import { assertRegistry } from './operations/check.ts';
import { operations } from './operations/index.ts';
import { type AnyOperation, compileOperation } from './pipeline.ts';
import { createSandboxRouter } from './sandbox-router.ts';
import { createWellKnown } from './well-known.ts';

/** Creates the app. @throws Error if a declaration in the registry is not valid. */
export function createApp(appContext: AppContext): Koa {
  const registry = Object.values(operations) as unknown as readonly AnyOperation[];
  assertRegistry(registry);
  const areas = createAreaRouters(registry, appContext);
  const documents = createWellKnown(appContext, registry);
  const hosts = createHosts(appContext.settings, appContext.baseUrl);
  const guard = createControlGuard(appContext, hosts);
  const control = createControlPlane(appContext, guard);
  const sandbox = createSandboxRouter(appContext, guard, createApp);
  const cors = createCors(appContext.settings.corsOrigins);
  const readSource = createSourceReader(appContext.settings.trustedProxies);
  const app = new Koa();
  Object.assign(app, { handleRequest: createRequestHandler(appContext) });
  app.use(async (ctx) => {
    initializeState(ctx, appContext, readSource);
    try {
      hosts.assertAllowed(ctx.req);
      if (ctx.state.path.startsWith('/s/') && (await sandbox(ctx))) return;
      if (cors(ctx)) return;
      await route(ctx, { areas, documents, control });
    } catch (error) {
      if (error instanceof ConnectionDroppedError || error instanceof ClientDisconnectedError) dropConnection(ctx);
      else writeError(ctx, error, appContext);
    }
    recordOutcome(ctx, appContext);
  });
  return app;
}

/**
 * Replaces Koa's response handling, as every step here writes its response. An error that is thrown nonetheless is a bug:
 * it is logged, and the connection is closed.
 */
function createRequestHandler({ log }: AppContext) {
  return async (ctx: Context, middleware: (ctx: Context) => Promise<void>): Promise<void> => {
    try {
      await middleware(ctx);
    } catch (error) {
      log.error({ err: error }, 'failed to write the response');
      ctx.res.destroy();
    }
  };
}

interface AreaRouter {
  /** Returns the handler for this method and path. */
  find(method: string, path: string): RouteHandler | undefined;
  readonly operations: readonly { readonly matcher: RegExp; readonly method: string }[];
}

type RouteHandler = (ctx: Context) => Promise<void>;

interface Routes {
  readonly areas: ReadonlyMap<string, AreaRouter>;
  readonly documents: (ctx: Context) => boolean;
  readonly control: ControlPlane;
}

/** Initializes the state of a request; `query` is without its question mark. */
function initializeState(ctx: Context, appContext: AppContext, readSource: SourceReader): void {
  const { path, search } = splitTarget(ctx.req.url ?? '/');
  ctx.state.path = path;
  ctx.state.query = search;
  ctx.state.startedAt = appContext.observability?.stopwatch.now();
  // Read now, as the address is not available once the connection is closed.
  ctx.state.source = readSource(ctx.req);
  ctx.state.requestId = appContext.ids.newRequestId();
  startResponse(ctx, {
    'X-Request-Id': ctx.state.requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
}

const noQuery = new URLSearchParams();
const servicePathPrefix = `${servicePrefix}/`;
/** For a path without the service prefix. */
const prefixHint = `Path not found. Paths of the service start with ${servicePathPrefix}`;

async function route(ctx: Context, { areas, documents, control }: Routes): Promise<void> {
  if (documents(ctx)) return;
  const path: string = ctx.state.path;
  const isServicePath = path.startsWith(servicePathPrefix);
  const area = isServicePath ? areas.get(parseAreaName(path)) : undefined;
  if (!area && (await control(ctx))) return;
  if (!area) throw apiError('PATH_UNKNOWN', isServicePath ? undefined : prefixHint);
  const { query } = ctx.state;
  ctx.state.search = query === '' ? noQuery : parseQuery(query);
  const handleRoute = area.find(ctx.req.method ?? '', path);
  if (!handleRoute) throwUnmatched(path, area);
  await handleRoute(ctx);
}

function parseAreaName(path: string): string {
  const slash = path.indexOf('/', servicePathPrefix.length);
  return slash < 0 ? path.slice(servicePathPrefix.length) : path.slice(servicePathPrefix.length, slash);
}

/** Throws METHOD_NOT_ALLOWED if the path exists for another method, PATH_UNKNOWN otherwise. */
function throwUnmatched(fullPath: string, area: AreaRouter): never {
  const path = fullPath.slice(servicePrefix.length);
  const methods = area.operations.filter(({ matcher }) => matcher.test(path)).map(({ method }) => method);
  if (methods.length === 0) throw apiError('PATH_UNKNOWN');
  const allowed = [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods), 'OPTIONS'];
  throw apiError('METHOD_NOT_ALLOWED', undefined, { Allow: allowed.join(', ') });
}

function createAreaRouters(registry: readonly AnyOperation[], appContext: AppContext): Map<string, AreaRouter> {
  const names = [...new Set(registry.map((operation) => parseAreaName(servicePrefix + operation.path)))];
  return new Map(
    names.map((name) => [
      name,
      createAreaRouter(
        registry.filter((operation) => parseAreaName(servicePrefix + operation.path) === name),
        appContext,
      ),
    ]),
  );
}

/**
 * The routers only match routes. They do not dispatch, which avoids a middleware chain per request; parameters are read
 * from the raw path.
 */
function createAreaRouter(registry: readonly AnyOperation[], appContext: AppContext): AreaRouter {
  const routers = new Map<string, Router[]>();
  const handlers = new Map<unknown, RouteHandler>();
  // A literal segment takes precedence over a parameter in the same position.
  const ordered = [...registry].sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  for (const operation of ordered) {
    const options = { faults: appContext.observability?.faults, limitGrowth: true, guardAccounts: true };
    const handle = compileOperation(operation, appContext, options);
    const handleRoute: RouteHandler = (ctx) => {
      ctx.state.operation = operation;
      return handle(ctx, ctx.state.search);
    };
    const router = routerFor(routers, operation);
    // The prefix is part of the path: as an option, the router compiles every path twice.
    handlers.set(
      router.register(servicePrefix + toRouterPath(operation.path), [operation.method], handleRoute as never),
      handleRoute,
    );
  }
  routers.set('HEAD', routers.get('GET') ?? []);
  return {
    find(method, path) {
      const router = routers.get(method)?.[segmentsIn(path)];
      return router && handlers.get(router.match(path, method).pathAndMethod[0]);
    },
    operations: ordered.map(({ path, method }) => ({ matcher: createPathMatcher(path), method })),
  };
}

/** One router per method and number of segments, so that a request tries few routes. */
function routerFor(routers: Map<string, Router[]>, { method, path }: AnyOperation): Router {
  const ofMethod = routers.get(method) ?? [];
  routers.set(method, ofMethod);
  const segments = segmentsIn(servicePrefix + path);
  const router = ofMethod[segments] ?? new Router({ sensitive: true, strict: true });
  ofMethod[segments] = router;
  return router;
}

function segmentsIn(path: string): number {
  let segments = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) segments += 1;
  return segments;
}

/** Closes the connection without a response, as a network failure does. */
function dropConnection(ctx: Context): void {
  ctx.state.dropped = true;
  ctx.req.socket.destroy();
}

function writeError(ctx: Context, error: unknown, appContext: AppContext): void {
  const { operation, requestId } = ctx.state as { operation?: AnyOperation; requestId: string };
  const errorResponse = createErrorResponse(error, {
    operation,
    requestId,
    softErrors: appContext.settings.softErrors,
    log: appContext.log,
  });
  ctx.state.errors = errorResponse.items;
  ctx.state.thrown = error;
  delete ctx.state.headers.ETag;
  setHeaders(ctx, errorResponse.headers);
  const body = operation?.errorFormat === 'oauth' ? toOAuthError(errorResponse.items) : errorResponse.items;
  writeJson(ctx, errorResponse.status, JSON.stringify(body));
}

function recordAuditEvent(ctx: Context, { clock, settings, sandbox }: AppContext, audit: AuditLog): void {
  const event = buildAuditEvent(ctx, { clock, isRemote: settings.allowRemote, sandbox });
  const { caller, loggedIn, issued, source, path } = ctx.state;
  // Logins go to the main audit log: off loopback, the growth limit bounds how many an anonymous caller can cause.
  const isLogin = loggedIn !== undefined || (issued !== undefined && caller?.user === undefined);
  // The control plane of a loopback server requires no credentials: its changes count as administration.
  const isOpen = !isLogin && !path.startsWith(`${controlPrefix}/`) && isUnprivileged(caller);
  if (event) audit.record(event, { network: source.network, isAnyone: isOpen });
}

/** Logs one line per request: caller, operation and outcome. Never a body, query or header, which may contain secrets. */
function recordOutcome(ctx: Context, appContext: AppContext): void {
  const { operation, requestId, caller, loggedIn, errors, dropped, source } = ctx.state;
  const actor = loggedIn ?? formatCallerName(caller);
  if (appContext.audit) recordAuditEvent(ctx, appContext, appContext.audit);
  if (appContext.observability) recordRequest(ctx, actor, appContext.observability, appContext.clock);
  if (!appContext.log.infoEnabled) return;
  const status = dropped ? undefined : ctx.res.statusCode;
  const refusal = errors?.[0]?.code;
  appContext.log.info(
    {
      requestId,
      method: ctx.req.method,
      operation: operation?.id,
      caller: actor,
      remoteAddress: source.address,
      status,
      refusal,
    },
    'request',
  );
}
