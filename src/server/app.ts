/** The Koa app of a world: mounts the registry, one router an area, and writes every failure in the one shape. */
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { fault } from '../contract/errors.ts';
import { servicePrefix } from '../contract/prefix.ts';
import type { AuditLog } from './audit/audit.ts';
import { eventOf } from './audit/event.ts';
import { ClientDisconnected } from './client-disconnected.ts';
import { controlPrefix } from './control/define.ts';
import { createControlGuard } from './control/guard.ts';
import { type ControlPlane, createControlPlane } from './control/mount.ts';
import { beginAnswer, setHeaders, writeJson } from './http/answer.ts';
import { createCors } from './http/cors.ts';
import { failureOf } from './http/failure.ts';
import { createHosts } from './http/hosts.ts';
import { oauthErrorOf } from './http/oauth-errors.ts';
import { pathMatcher, routerPath, splitTarget } from './http/paths.ts';
import { parseQuery } from './http/query.ts';
import { createSourceReader, type ReadSource } from './http/request-source.ts';
import { rootDocuments } from './http/root-documents.ts';
import { isAnyone, nameOf } from './identity/principal.ts';
import { ConnectionDropped } from './insight/disturb.ts';
import { noteCall } from './insight/note.ts';
import { checkRegistry } from './operations/check.ts';
import { operations } from './operations/index.ts';
import { type AnyOperation, compile } from './pipeline.ts';
import { createSandboxPaths } from './sandbox-paths.ts';
import type { World } from './world.ts';

/** The app for this world. @throws Error where a declaration in the registry is at fault. */
export function createApp(world: World): Koa {
  const registry = Object.values(operations) as unknown as readonly AnyOperation[];
  checkRegistry(registry);
  const areas = areasOf(registry, world);
  const documents = rootDocuments(world, registry);
  const hosts = createHosts(world.settings, world.baseUrl);
  const guard = createControlGuard(world, hosts);
  const control = createControlPlane(world, guard);
  const sandbox = createSandboxPaths(world, guard, createApp);
  const cors = createCors(world.settings.corsOrigins);
  const readSource = createSourceReader(world.settings.trustedProxies);
  const app = new Koa();
  Object.assign(app, { handleRequest: answerDirectly(world) });
  app.use(async (ctx) => {
    begin(ctx, world, readSource);
    try {
      hosts.requireServed(ctx.req);
      if (ctx.state.path.startsWith('/s/') && (await sandbox(ctx))) return;
      if (cors(ctx)) return;
      await route(ctx, { areas, documents, control });
    } catch (error) {
      if (error instanceof ConnectionDropped || error instanceof ClientDisconnected) dropConnection(ctx);
      else writeFailure(ctx, error, world);
    }
    record(ctx, world);
  });
  return app;
}

/**
 * In the place of Koa's own end of a call, which looks for a body to send and for the end of the socket: every step here
 * ends its answer itself. What is thrown nonetheless is a fault of the program, and the connection tells no more.
 */
function answerDirectly({ log }: World) {
  return async (ctx: Context, step: (ctx: Context) => Promise<void>): Promise<void> => {
    try {
      await step(ctx);
    } catch (error) {
      log.error({ err: error }, 'an answer could not be written');
      ctx.res.destroy();
    }
  };
}

interface Area {
  /** What takes a call of this method to this path. */
  find(method: string, path: string): Taker | undefined;
  readonly operations: readonly { readonly matcher: RegExp; readonly method: string }[];
}

type Taker = (ctx: Context) => Promise<void>;

interface Places {
  readonly areas: ReadonlyMap<string, Area>;
  readonly documents: (ctx: Context) => boolean;
  readonly control: ControlPlane;
}

/** What every step finds in the state of the call; `query` is without its question mark. */
function begin(ctx: Context, world: World, readSource: ReadSource): void {
  const { path, search } = splitTarget(ctx.req.url ?? '/');
  ctx.state.path = path;
  ctx.state.query = search;
  ctx.state.startedAt = world.insight?.stopwatch.now();
  // Read now: the address is gone with the connection.
  ctx.state.source = readSource(ctx.req);
  ctx.state.requestId = world.ids.newRequestId();
  beginAnswer(ctx, {
    'X-Request-Id': ctx.state.requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
}

const noQuery = new URLSearchParams();
const belowService = `${servicePrefix}/`;
/** For whoever forgot the prefix. */
const outside = `There is nothing at this path. Those of the interface begin with ${belowService}`;

async function route(ctx: Context, { areas, documents, control }: Places): Promise<void> {
  if (documents(ctx)) return;
  const path: string = ctx.state.path;
  const isBelow = path.startsWith(belowService);
  const area = isBelow ? areas.get(areaName(path)) : undefined;
  if (!area && (await control(ctx))) return;
  if (!area) throw fault('PATH_UNKNOWN', isBelow ? undefined : outside);
  const { query } = ctx.state;
  ctx.state.search = query === '' ? noQuery : parseQuery(query);
  const take = area.find(ctx.req.method ?? '', path);
  if (!take) refuse(path, area);
  await take(ctx);
}

function areaName(path: string): string {
  const slash = path.indexOf('/', belowService.length);
  return slash < 0 ? path.slice(belowService.length) : path.slice(belowService.length, slash);
}

/** Nothing took the call: its method is wrong, or its path. */
function refuse(fullPath: string, area: Area): never {
  const path = fullPath.slice(servicePrefix.length);
  const methods = area.operations.filter(({ matcher }) => matcher.test(path)).map(({ method }) => method);
  if (methods.length === 0) throw fault('PATH_UNKNOWN');
  const allowed = [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods), 'OPTIONS'];
  throw fault('METHOD_NOT_ALLOWED', undefined, { Allow: allowed.join(', ') });
}

function areasOf(registry: readonly AnyOperation[], world: World): Map<string, Area> {
  const names = [...new Set(registry.map((operation) => areaName(servicePrefix + operation.path)))];
  return new Map(
    names.map((name) => [
      name,
      areaOf(
        registry.filter((operation) => areaName(servicePrefix + operation.path) === name),
        world,
      ),
    ]),
  );
}

/**
 * A router is asked which route a call is for, and no more: the chain of steps that it would make for every call has
 * one step here, and parameters are read from the path as it came.
 */
function areaOf(registry: readonly AnyOperation[], world: World): Area {
  const routers = new Map<string, Router[]>();
  const takers = new Map<unknown, Taker>();
  // A literal segment wins over a parameter in its place, whatever the order of the files.
  const ordered = [...registry].sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  for (const operation of ordered) {
    const options = { faults: world.insight?.faults, limitsGrowth: true, guardsAccounts: true };
    const handle = compile(operation, world, options);
    const take: Taker = (ctx) => {
      ctx.state.operation = operation;
      return handle(ctx, ctx.state.search);
    };
    const router = routerFor(routers, operation);
    // With the prefix in the path: as an option it has every path compiled twice.
    takers.set(router.register(servicePrefix + routerPath(operation.path), [operation.method], take as never), take);
  }
  routers.set('HEAD', routers.get('GET') ?? []);
  return {
    find(method, path) {
      const router = routers.get(method)?.[segmentsIn(path)];
      return router && takers.get(router.match(path, method).pathAndMethod[0]);
    },
    operations: ordered.map(({ path, method }) => ({ matcher: pathMatcher(path), method })),
  };
}

/** There is one for each method and number of segments, so that routes of others need not be tried for a call. */
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

/** As a network does that fails: not a word more. */
function dropConnection(ctx: Context): void {
  ctx.state.dropped = true;
  ctx.req.socket.destroy();
}

function writeFailure(ctx: Context, error: unknown, world: World): void {
  const { operation, requestId } = ctx.state as { operation?: AnyOperation; requestId: string };
  const failure = failureOf(error, { operation, requestId, softErrors: world.settings.softErrors, log: world.log });
  ctx.state.errors = failure.items;
  ctx.state.thrown = error;
  delete ctx.state.headers.ETag;
  setHeaders(ctx, failure.headers);
  const body = operation?.errorFormat === 'oauth' ? oauthErrorOf(failure.items) : failure.items;
  writeJson(ctx, failure.status, JSON.stringify(body));
}

function tell(ctx: Context, { clock, settings, sandbox }: World, audit: AuditLog): void {
  const event = eventOf(ctx, { clock, isRemote: settings.allowRemote, sandbox });
  const { caller, loggedIn, issued, source, path } = ctx.state;
  // A login is told where administration is: off loopback the growth limit bounds how many a stranger can cause.
  const isLogin = loggedIn !== undefined || (issued !== undefined && caller?.user === undefined);
  // The control plane of a loopback server asks for no credentials: what is changed there is administration.
  const isOpen = !isLogin && !path.startsWith(`${controlPrefix}/`) && isAnyone(caller);
  if (event) audit.record(event, { network: source.network, isAnyone: isOpen });
}

/** One line a call: who did what, and what came of it. Never a body, a query or a header, which may hold secrets. */
function record(ctx: Context, world: World): void {
  const { operation, requestId, caller, loggedIn, errors, dropped, source } = ctx.state;
  const actor = loggedIn ?? nameOf(caller);
  if (world.audit) tell(ctx, world, world.audit);
  if (world.insight) noteCall(ctx, actor, world.insight, world.clock);
  if (!world.log.infoEnabled) return;
  const status = dropped ? undefined : ctx.res.statusCode;
  const refusal = errors?.[0]?.code;
  world.log.info(
    {
      requestId,
      method: ctx.req.method,
      operation: operation?.id,
      caller: actor,
      remoteAddress: source.address,
      status,
      refusal,
    },
    'call',
  );
}
