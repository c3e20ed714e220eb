/** The Koa app of a world: mounts the registry, one router an area, and writes every failure in the one shape. */
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { fault } from '../contract/errors.ts';
import { servicePrefix } from '../contract/prefix.ts';
import { type ControlPlane, createControlPlane } from './control/mount.ts';
import { createCors } from './http/cors.ts';
import { failureOf } from './http/failure.ts';
import { oauthErrorOf } from './http/oauth-errors.ts';
import { pathMatcher, routerPath, splitTarget } from './http/paths.ts';
import { rootDocuments } from './http/root-documents.ts';
import { nameOf } from './identity/principal.ts';
import { checkRegistry } from './operations/check.ts';
import { operations } from './operations/index.ts';
import { type AnyOperation, compile, writeJson } from './pipeline.ts';
import type { World } from './world.ts';

/** The app for this world. @throws Error where a declaration in the registry is at fault. */
export function createApp(world: World): Koa {
  const registry = Object.values(operations) as unknown as readonly AnyOperation[];
  checkRegistry(registry);
  const areas = areasOf(registry, world);
  const documents = rootDocuments(world, registry);
  const control = createControlPlane(world);
  const cors = createCors(world.settings.corsOrigins);
  const app = new Koa();
  app.on('error', (error) => world.log.warn({ error: String(error?.message) }, 'an answer could not be written'));
  app.use(async (ctx) => {
    const { search } = begin(ctx, world);
    try {
      if (cors(ctx)) return;
      await route(ctx, search, { areas, documents, control });
    } catch (error) {
      writeFailure(ctx, error, world);
    }
    record(ctx, world);
  });
  return app;
}

interface Area {
  readonly router: ReturnType<Router['routes']>;
  readonly operations: readonly { readonly matcher: RegExp; readonly method: string }[];
}

interface Places {
  readonly areas: ReadonlyMap<string, Area>;
  readonly documents: (ctx: Context) => Promise<boolean>;
  readonly control: ControlPlane;
}

function begin(ctx: Context, world: World): { search: string } {
  const { path, search } = splitTarget(ctx.req.url ?? '/');
  ctx.path = path;
  ctx.state.requestId = world.ids.newRequestId();
  ctx.set({ 'X-Request-Id': ctx.state.requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' });
  return { search };
}

async function route(ctx: Context, search: string, { areas, documents, control }: Places): Promise<void> {
  requireHost(ctx);
  if (await documents(ctx)) return;
  if (await control(ctx, search)) return;
  const area = ctx.path.startsWith(`${servicePrefix}/`) ? areas.get(areaName(ctx.path)) : undefined;
  if (!area) throw fault('PATH_UNKNOWN');
  ctx.state.search = new URLSearchParams(search);
  await area.router(ctx as never, async () => {
    refuse(ctx, area);
  });
}

/** Exactly one Host, and a possible one (RFC 9112, 3.2). Node's own check would answer without a body. */
function requireHost(ctx: Context): void {
  const hosts = ctx.req.headersDistinct.host ?? [];
  if (hosts.length !== 1 || !/^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/.test(hosts[0] ?? ''))
    throw fault('HOST_MISSING');
}

function areaName(path: string): string {
  const rest = path.slice(servicePrefix.length + 1);
  const slash = rest.indexOf('/');
  return slash < 0 ? rest : rest.slice(0, slash);
}

/** Nothing took the call: its method is wrong, or its path. */
function refuse(ctx: Context, area: Area): never {
  const path = ctx.path.slice(servicePrefix.length);
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

function areaOf(registry: readonly AnyOperation[], world: World): Area {
  const router = new Router({ prefix: servicePrefix, sensitive: true, strict: true });
  // A literal segment wins over a parameter in its place, whatever the order of the files.
  const ordered = [...registry].sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  for (const operation of ordered) {
    const handle = compile(operation, world);
    router.register(routerPath(operation.path), [operation.method], async (ctx) => {
      ctx.state.operation = operation;
      await handle(ctx as unknown as Context, ctx.state.search);
    });
  }
  return {
    router: router.routes(),
    operations: ordered.map(({ path, method }) => ({ matcher: pathMatcher(path), method })),
  };
}

function writeFailure(ctx: Context, error: unknown, world: World): void {
  const { operation, requestId } = ctx.state as { operation?: AnyOperation; requestId: string };
  const failure = failureOf(error, { operation, requestId, softErrors: world.settings.softErrors, log: world.log });
  ctx.state.refusal = failure.items[0]?.code;
  ctx.remove('ETag');
  ctx.set(failure.headers);
  const body = operation?.errorFormat === 'oauth' ? oauthErrorOf(failure.items) : failure.items;
  writeJson(ctx, failure.status, JSON.stringify(body));
}

/** One line a call: who did what, and what came of it. Never a body, a query or a header, which may hold secrets. */
function record(ctx: Context, world: World): void {
  if (!world.log.infoEnabled) return;
  const { operation, requestId, caller, refusal } = ctx.state;
  world.log.info(
    { requestId, method: ctx.method, operation: operation?.id, caller: nameOf(caller), status: ctx.status, refusal },
    'call',
  );
}
