/** Endpoints outside the service prefix: index, health, the API document, and the discovery documents of token verifiers. */

import { apiError } from '../contract/errors.ts';
import { controlPrefix, servicePrefix } from '../contract/prefix.ts';
import { type FaultTarget, faultTargets } from '../contract/testing/fault-effects.ts';
import { packageVersion } from '../contract/version.ts';
import type { AppContext } from './app-context.ts';
import { applyDocumentFault } from './fault-injection/apply-faults.ts';
import type { FaultInjector, InjectedFault } from './fault-injection/fault-injector.ts';
import type { KoaContext, Middleware } from './http/request-state.ts';
import { setHeader, writeJson } from './http/response.ts';
import { buildOpenIdConfiguration, buildServerMetadata } from './oauth/metadata.ts';
import type { AnyOperation } from './pipeline.ts';
import type { KeyRing } from './tokens/keys.ts';

const docsPath = `${controlPrefix}/docs`;
const [jwksPath] = faultTargets.jwks.paths;
const consolePath = `${controlPrefix}/console/`;

type DocumentWriter = (ctx: KoaContext, fault?: InjectedFault) => void | Promise<void>;

/** Serves these documents; all other paths go to the next step. */
export function serveWellKnown(appContext: AppContext, registry: readonly AnyOperation[]): Middleware {
  const documents = new Map<string, DocumentWriter>([
    ['/', (ctx) => writeIndex(ctx, appContext)],
    ['/healthz', (ctx) => writeJson(ctx, 200, '{"status":"ok"}')],
    ['/readyz', (ctx) => writeReadiness(ctx, appContext)],
    [
      '/openapi.json',
      cached(async () => {
        const { buildOpenApiDocument } = await import('./openapi/document.ts');
        return buildOpenApiDocument(registry, { version: packageVersion, baseUrl: appContext.baseUrl });
      }),
    ],
    [jwksPath, (ctx, fault) => writeKeySet(ctx, appContext.keys, fault)],
    ...listMetadataDocuments(appContext),
  ]);
  const faults = appContext.observability?.faults;
  return (ctx, next) => {
    const document = documents.get(ctx.state.path);
    if (!document) return next();
    if (ctx.req.method !== 'GET' && ctx.req.method !== 'HEAD')
      throw apiError('METHOD_NOT_ALLOWED', undefined, { Allow: 'GET, HEAD' });
    const target = faultTargetOf(ctx.state.path);
    return target && faults ? serveUnderFaults(ctx, document, { faults, target }) : document(ctx);
  };

  async function serveUnderFaults(
    ctx: KoaContext,
    document: DocumentWriter,
    { faults, target }: { readonly faults: FaultInjector; readonly target: FaultTarget },
  ): Promise<void> {
    const disconnectSignal = () => appContext.disconnectSignals(ctx.res);
    await document(ctx, await applyDocumentFault(ctx, faults, { target, disconnectSignal }));
  }
}

/** The documents that fault rules can affect; the metadata also at paths that end with the path of the issuer. */
function faultTargetOf(path: string): FaultTarget | undefined {
  if (path === jwksPath) return 'jwks';
  return faultTargets.discovery.paths.some((metadata) => path.startsWith(metadata)) ? 'discovery' : undefined;
}

/** The metadata below the base URL, and at the paths that insert the path of the issuer (RFC 8414, 3.1). */
function listMetadataDocuments(appContext: AppContext): [string, DocumentWriter][] {
  const issuerPath = new URL(appContext.issuerUrl).pathname.replace(/\/$/, '');
  const builders = [
    ['/.well-known/oauth-authorization-server', buildServerMetadata],
    ['/.well-known/openid-configuration', buildOpenIdConfiguration],
  ] as const;
  return builders.flatMap(([path, build]) =>
    [path, `${path}${issuerPath}`].map((at): [string, DocumentWriter] => [
      at,
      (ctx) => writeCacheable(ctx, JSON.stringify(build(appContext))),
    ]),
  );
}

/**
 * The index at `/`: redirects browsers to the console and returns links to other clients. The redirect is
 * relative, so that it works in a sandbox and behind a proxy.
 */
function writeIndex(ctx: KoaContext, { baseUrl, settings }: AppContext): void {
  const hasPage = !settings.disableControlPlane;
  const json = JSON.stringify({
    name: 'iam-standin',
    version: packageVersion,
    interface: baseUrl + servicePrefix,
    openapi: `${baseUrl}/openapi.json`,
    ...(hasPage ? { console: `${baseUrl}${consolePath}`, docs: `${baseUrl}${docsPath}` } : {}),
    health: `${baseUrl}/healthz`,
  });
  setHeader(ctx, 'Vary', 'Accept');
  const isBrowser = (ctx.req.headers.accept ?? '').includes('text/html');
  if (hasPage && isBrowser) setHeader(ctx, 'Location', `.${consolePath}`);
  writeJson(ctx, hasPage && isBrowser ? 302 : 200, json);
}

/** Creates the document on the first request and caches it. */
function cached(create: () => Promise<object>): DocumentWriter {
  let json: Promise<string> | undefined;
  return async (ctx) => {
    json ??= create().then((document) => JSON.stringify(document));
    writeCacheable(ctx, await json);
  };
}

function writeCacheable(ctx: KoaContext, json: string): void {
  setHeader(ctx, 'Cache-Control', 'public, max-age=300');
  writeJson(ctx, 200, json);
}

async function writeKeySet(ctx: KoaContext, keys: KeyRing, fault: InjectedFault | undefined): Promise<void> {
  await keys.tryRefresh();
  const published = fault?.staleKeys ? keys.publicKeysBefore() : keys.publicKeys();
  const served = fault?.missingKey ? published.filter(({ kid = '' }) => !keys.isSigning(kid)) : published;
  writeCacheable(ctx, JSON.stringify({ keys: served }));
}

/** A failing audit log is reported but does not make the service unready: requests are still served. */
function writeReadiness(ctx: KoaContext, { store, audit }: AppContext): void {
  const health = store.health();
  const { writable } = health;
  const states = {
    status: writable ? 'ready' : 'not ready',
    store: writable ? 'writable' : 'read-only',
    ...(health.writable ? {} : { problem: health.problem }),
    ...(audit ? { audit: audit.health().writable ? 'written' : 'failing' } : {}),
  };
  writeJson(ctx, writable ? 200 : 503, JSON.stringify(states));
}
