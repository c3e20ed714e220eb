/** The Koa app of an app context: mounts the operations and the control plane, and writes all error responses. */
import Koa, { type Context } from 'koa';
import { apiError, type IamError } from '../contract/errors.ts';
import { toOAuthError } from '../contract/oauth-errors.ts';
import { controlPrefix, servicePrefix } from '../contract/prefix.ts';
import type { AppContext } from './app-context.ts';
import type { AuditLog } from './audit/audit.ts';
import { buildAuditEvent } from './audit/event.ts';
import { isControlPath, mountControlRoutes } from './control/control-plane.ts';
import { type ControlGuard, createControlGuard } from './control/guard.ts';
import { formatCallerName, isUnprivileged } from './directory/principal.ts';
import { ConnectionDroppedError } from './fault-injection/apply-faults.ts';
import { createCors } from './http/cors.ts';
import { createErrorResponse } from './http/error-response.ts';
import { createHosts } from './http/hosts.ts';
import { splitTarget } from './http/paths.ts';
import { parseQuery } from './http/query.ts';
import { setHeaders, startResponse, writeJson } from './http/response.ts';
import { createRouter } from './http/router.ts';
import { ClientDisconnectedError } from './lib/client-disconnected-error.ts';
import { createSourceReader, type SourceReader } from './lib/request-source.ts';
import { recordRequest } from './observability/record-request.ts';
import { assertRegistry } from './operations/check.ts';
import { operations } from './operations/index.ts';
import { type AnyOperation, compileOperation, type MountedRoute } from './pipeline.ts';
import { createSandboxRouter } from './sandbox-router.ts';
import { createWellKnown } from './well-known.ts';

/** Creates the app. @throws Error if a declaration in the registry is not valid. */
export function createApp(appContext: AppContext): Koa {
  const registry = Object.values(operations) as unknown as readonly AnyOperation[];
  assertRegistry(registry);
  const documents = createWellKnown(appContext, registry);
  const hosts = createHosts(appContext.settings, appContext.baseUrl);
  const guard = createControlGuard(appContext, hosts);
  const dispatch = createDispatcher(appContext, registry, guard);
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
      if (!documents(ctx)) await dispatch(ctx);
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
/** For a path without a prefix. */
const prefixHint = `Path not found. Paths of the service start with ${servicePathPrefix}`;

/** Mounts the operations at the service prefix. */
function mountOperations(registry: readonly AnyOperation[], appContext: AppContext): MountedRoute[] {
  const options = { faults: appContext.observability?.faults, limitGrowth: true, guardAccounts: true };
  return registry.map((operation) => ({
    method: operation.method,
    path: servicePrefix + operation.path,
    operation,
    handle: compileOperation(operation, appContext, options),
  }));
}

type RequestStep = (ctx: Context) => Promise<void>;

/** Creates the step that finds the route of a request and handles it. */
function createDispatcher(appContext: AppContext, registry: readonly AnyOperation[], guard: ControlGuard): RequestStep {
  const hasControlPlane = !appContext.settings.disableControlPlane;
  const controlRoutes = hasControlPlane ? mountControlRoutes(appContext) : [];
  const router = createRouter([...mountOperations(registry, appContext), ...controlRoutes]);
  return async (ctx) => {
    const { path, query } = ctx.state;
    const route = router.find(ctx.req.method ?? '', path);
    const isControl = hasControlPlane && isControlPath(path);
    if (isControl) guard.assertAllowed(ctx, route?.isPage === true);
    if (!route) throw createUnmatchedError(path, router.methodsAt(path), isControl);
    ctx.state.operation = route.operation;
    await route.handle(ctx, query === '' ? noQuery : parseQuery(query));
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
