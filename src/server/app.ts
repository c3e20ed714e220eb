/** The Koa app of an app context: mounts the operations and the control plane, and writes all error responses. */
import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
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
import type { KoaContext, RequestState } from './http/request-state.ts';
import { setHeaders, writeJson } from './http/response.ts';
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
  const app = new Koa<RequestState>();
  Object.assign(app, { handleRequest: createRequestHandler(appContext) });
  app.use(async (ctx) => {
    ctx.state = createRequestState(ctx.req, appContext, readSource);
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
  return async (ctx: KoaContext, middleware: (ctx: KoaContext) => Promise<void>): Promise<void> => {
    try {
      await middleware(ctx);
    } catch (error) {
      log.error({ err: error }, 'failed to write the response');
      ctx.res.destroy();
    }
  };
}

/** Creates the state of a request that arrives. */
function createRequestState(request: IncomingMessage, appContext: AppContext, readSource: SourceReader): RequestState {
  const { path, search } = splitTarget(request.url ?? '/');
  const requestId = appContext.ids.newRequestId();
  return {
    request,
    requestId,
    path,
    query: search,
    // Read now, as the address is not available once the connection is closed.
    source: readSource(request),
    startedAt: appContext.observability?.stopwatch.now(),
    responseHeaders: { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' },
  };
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

type RequestStep = (ctx: KoaContext) => Promise<void>;

/** Creates the step that finds the route of a request and handles it. */
function createDispatcher(appContext: AppContext, registry: readonly AnyOperation[], guard: ControlGuard): RequestStep {
  const hasControlPlane = !appContext.settings.disableControlPlane;
  const controlRoutes = hasControlPlane ? mountControlRoutes(appContext) : [];
  const router = createRouter([...mountOperations(registry, appContext), ...controlRoutes]);
  return async (ctx) => {
    const { path, query } = ctx.state;
    const route = router.find(ctx.req.method ?? '', path);
    const isControl = hasControlPlane && isControlPath(path);
    if (isControl) guard.assertAllowed(ctx.state, route?.isPage === true);
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
function dropConnection(ctx: KoaContext): void {
  ctx.state.dropped = true;
  ctx.req.socket.destroy();
}

function writeError(ctx: KoaContext, error: unknown, appContext: AppContext): void {
  const { operation, requestId } = ctx.state;
  const errorResponse = createErrorResponse(error, {
    operation,
    requestId,
    softErrors: appContext.settings.softErrors,
    log: appContext.log,
  });
  ctx.state.errors = errorResponse.items;
  ctx.state.thrown = error;
  delete ctx.state.responseHeaders.ETag;
  setHeaders(ctx, errorResponse.headers);
  const body = operation?.errorFormat === 'oauth' ? toOAuthError(errorResponse.items) : errorResponse.items;
  writeJson(ctx, errorResponse.status, JSON.stringify(body));
}

function recordAuditEvent({ state, res }: KoaContext, { clock, settings, sandbox }: AppContext, audit: AuditLog): void {
  const event = buildAuditEvent(state, res.statusCode, { clock, isRemote: settings.allowRemote, sandbox });
  const { caller, loggedIn, issued, source, path } = state;
  // Logins go to the main audit log: off loopback, the growth limit bounds how many an anonymous caller can cause.
  const isLogin = loggedIn !== undefined || (issued !== undefined && caller?.user === undefined);
  // The control plane of a loopback server requires no credentials: its changes count as administration.
  const isOpen = !isLogin && !path.startsWith(`${controlPrefix}/`) && isUnprivileged(caller);
  if (event) audit.record(event, { network: source.network, isAnyone: isOpen });
}

/** Logs one line per request: caller, operation and outcome. Never a body, query or header, which may contain secrets. */
function recordOutcome(ctx: KoaContext, appContext: AppContext): void {
  const { operation, requestId, caller, loggedIn, errors, dropped, source } = ctx.state;
  const actor = loggedIn ?? formatCallerName(caller);
  const status = dropped ? undefined : ctx.res.statusCode;
  if (appContext.audit) recordAuditEvent(ctx, appContext, appContext.audit);
  if (appContext.observability) recordRequest(ctx.state, { actor, status }, appContext.observability, appContext.clock);
  if (!appContext.log.infoEnabled) return;
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
