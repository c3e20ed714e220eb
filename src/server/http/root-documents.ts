/** What stands beside the service prefix: where to go from the root, health, the API document, and what verifiers of tokens look for. */
import type { Context } from 'koa';
import { fault } from '../../contract/errors.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import { packageVersion } from '../../contract/version.ts';
import { controlPrefix } from '../control/define.ts';
import { openApiDocument } from '../documents/openapi.ts';
import { wantsStaleKeys } from '../insight/disturb.ts';
import type { AnyOperation } from '../pipeline.ts';
import type { World } from '../world.ts';
import { setHeader, writeJson } from './answer.ts';

const pagePath = `${controlPrefix}/docs`;

type Document = (ctx: Context) => void;

/** @returns a step that is true where it has answered the call. */
export function rootDocuments(world: World, registry: readonly AnyOperation[]): (ctx: Context) => boolean {
  const documents = new Map<string, Document>([
    ['/', (ctx) => writeStart(ctx, world)],
    ['/healthz', (ctx) => writeJson(ctx, 200, '{"status":"ok"}')],
    ['/readyz', (ctx) => writeReadiness(ctx, world)],
    ['/openapi.json', kept(() => openApiDocument(registry, { version: packageVersion, baseUrl: world.baseUrl }))],
    ['/.well-known/jwks.json', (ctx) => writeKeySet(ctx, world)],
    ['/.well-known/openid-configuration', kept(() => discovery(world, registry))],
  ]);
  return (ctx) => {
    const document = documents.get(ctx.state.path);
    if (!document) return false;
    if (ctx.req.method !== 'GET' && ctx.req.method !== 'HEAD')
      throw fault('METHOD_NOT_ALLOWED', undefined, { Allow: 'GET, HEAD' });
    document(ctx);
    return true;
  };
}

/**
 * Where to go from the root, which is what people open first: a browser goes on to the page about the interface, a
 * program is given links. The way to the page is relative, so that it holds in a sandbox and behind a proxy.
 */
function writeStart(ctx: Context, { baseUrl, settings }: World): void {
  const hasPage = !settings.noControl;
  const json = JSON.stringify({
    name: 'iam-standin',
    version: packageVersion,
    interface: baseUrl + servicePrefix,
    openapi: `${baseUrl}/openapi.json`,
    ...(hasPage ? { docs: `${baseUrl}${pagePath}` } : {}),
    health: `${baseUrl}/healthz`,
  });
  setHeader(ctx, 'Vary', 'Accept');
  const isBrowser = (ctx.req.headers.accept ?? '').includes('text/html');
  if (hasPage && isBrowser) setHeader(ctx, 'Location', `.${pagePath}`);
  writeJson(ctx, hasPage && isBrowser ? 302 : 200, json);
}

/** A document that is made when first asked for, and then stays. */
function kept(make: () => object): Document {
  let json: string | undefined;
  return (ctx) => {
    json ??= JSON.stringify(make());
    writeCacheable(ctx, json);
  };
}

function writeCacheable(ctx: Context, json: string): void {
  setHeader(ctx, 'Cache-Control', 'public, max-age=300');
  writeJson(ctx, 200, json);
}

function writeKeySet(ctx: Context, { keys, insight }: World): void {
  const shown = wantsStaleKeys(ctx, insight?.faults) ? keys.publicKeysBefore() : keys.publicKeys();
  writeCacheable(ctx, JSON.stringify({ keys: shown }));
}

/** An audit log that can't be written is told, and no reason to send callers elsewhere: they are answered all the same. */
function writeReadiness(ctx: Context, { store, audit }: World): void {
  const { writable } = store.health();
  const states = {
    status: writable ? 'ready' : 'not ready',
    store: writable ? 'writable' : 'read-only',
    ...(audit ? { audit: audit.health().writable ? 'written' : 'failing' } : {}),
  };
  writeJson(ctx, writable ? 200 : 503, JSON.stringify(states));
}

/** OpenID Connect Discovery 1.0, section 3, as far as it holds here. */
function discovery({ baseUrl, keys }: World, registry: readonly AnyOperation[]): object {
  const tokenEndpoint = registry.find(({ id }) => id === 'client-identities.connect-token');
  return {
    issuer: baseUrl,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    ...(tokenEndpoint ? { token_endpoint: baseUrl + servicePrefix + tokenEndpoint.path } : {}),
    response_types_supported: ['token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [keys.current().alg],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  };
}
