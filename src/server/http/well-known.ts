/** What stands beside the service prefix: where to go from the root, health, the API document, and what verifiers of tokens look for. */
import type { Context } from 'koa';
import { apiError } from '../../contract/errors.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import { packageVersion } from '../../contract/version.ts';
import type { AppContext } from '../app-context.ts';
import { controlPrefix } from '../control/define.ts';
import { shouldServeStaleKeys } from '../observability/apply-faults.ts';
import { buildOpenApiDocument } from '../openapi/document.ts';
import type { AnyOperation } from '../pipeline.ts';
import { setHeader, writeJson } from './response.ts';

const docsPath = `${controlPrefix}/docs`;

type DocumentWriter = (ctx: Context) => void;

/** @returns a step that is true where it has answered the call. */
export function createWellKnown(world: AppContext, registry: readonly AnyOperation[]): (ctx: Context) => boolean {
  const documents = new Map<string, DocumentWriter>([
    ['/', (ctx) => writeIndex(ctx, world)],
    ['/healthz', (ctx) => writeJson(ctx, 200, '{"status":"ok"}')],
    ['/readyz', (ctx) => writeReadiness(ctx, world)],
    [
      '/openapi.json',
      cached(() => buildOpenApiDocument(registry, { version: packageVersion, baseUrl: world.baseUrl })),
    ],
    ['/.well-known/jwks.json', (ctx) => writeKeySet(ctx, world)],
    ['/.well-known/openid-configuration', cached(() => buildDiscovery(world, registry))],
  ]);
  return (ctx) => {
    const document = documents.get(ctx.state.path);
    if (!document) return false;
    if (ctx.req.method !== 'GET' && ctx.req.method !== 'HEAD')
      throw apiError('METHOD_NOT_ALLOWED', undefined, { Allow: 'GET, HEAD' });
    document(ctx);
    return true;
  };
}

/**
 * Where to go from the root, which is what people open first: a browser goes on to the page about the interface, a
 * program is given links. The way to the page is relative, so that it holds in a sandbox and behind a proxy.
 */
function writeIndex(ctx: Context, { baseUrl, settings }: AppContext): void {
  const hasPage = !settings.disableControlPlane;
  const json = JSON.stringify({
    name: 'iam-standin',
    version: packageVersion,
    interface: baseUrl + servicePrefix,
    openapi: `${baseUrl}/openapi.json`,
    ...(hasPage ? { docs: `${baseUrl}${docsPath}` } : {}),
    health: `${baseUrl}/healthz`,
  });
  setHeader(ctx, 'Vary', 'Accept');
  const isBrowser = (ctx.req.headers.accept ?? '').includes('text/html');
  if (hasPage && isBrowser) setHeader(ctx, 'Location', `.${docsPath}`);
  writeJson(ctx, hasPage && isBrowser ? 302 : 200, json);
}

/** A document that is made when first asked for, and then stays. */
function cached(make: () => object): DocumentWriter {
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

function writeKeySet(ctx: Context, { keys, observability: insight }: AppContext): void {
  const published = shouldServeStaleKeys(ctx, insight?.faults) ? keys.publicKeysBefore() : keys.publicKeys();
  writeCacheable(ctx, JSON.stringify({ keys: published }));
}

/** An audit log that can't be written is told, and no reason to send callers elsewhere: they are answered all the same. */
function writeReadiness(ctx: Context, { store, audit }: AppContext): void {
  const { writable } = store.health();
  const states = {
    status: writable ? 'ready' : 'not ready',
    store: writable ? 'writable' : 'read-only',
    ...(audit ? { audit: audit.health().writable ? 'written' : 'failing' } : {}),
  };
  writeJson(ctx, writable ? 200 : 503, JSON.stringify(states));
}

/** OpenID Connect Discovery 1.0, section 3, as far as it holds here. */
function buildDiscovery({ baseUrl, keys }: AppContext, registry: readonly AnyOperation[]): object {
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
