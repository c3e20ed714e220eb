/** Creates the state of each request, and records its outcome in the audit log, the request log and the log. */
import type { IncomingMessage } from 'node:http';
import type { AppContext } from './app-context.ts';
import { recordAuditEvent } from './audit/record.ts';
import { formatCallerName } from './directory/principal.ts';
import { type CertificateReader, createCertificateReader } from './federation/client-certificate.ts';
import { readCorrelation } from './http/correlation.ts';
import { createHosts } from './http/hosts.ts';
import { splitTarget } from './http/paths.ts';
import type { KoaContext, Middleware, RequestState } from './http/request-state.ts';
import { createSourceReader, type SourceReader } from './lib/request-source.ts';
import { isConsoleRequest } from './observability/console-requests.ts';
import { recordRequest } from './observability/record-request.ts';

/** The first step: the others need the state. A request to a sandbox is recorded by the sandbox. */
export function recordRequests(appContext: AppContext): Middleware {
  const readers = {
    readSource: createRequestSourceReader(appContext),
    readCertificate: createCertificateReader(appContext.settings),
  };
  return async (ctx, next) => {
    ctx.state = createRequestState(ctx.req, appContext, readers);
    await next();
    if (!ctx.state.servedBySandbox) recordOutcome(ctx, appContext);
  };
}

/** With another name in Host, a proxy forwarded the request without saying so, or a page rebound its name to this machine. */
function createRequestSourceReader({ settings, baseUrl }: AppContext): SourceReader {
  const hosts = createHosts(settings, baseUrl);
  const readSource = createSourceReader(settings.trustedProxies);
  return (request) => {
    const source = readSource(request);
    return source.isLoopback && !hosts.isLocal(request) ? { ...source, isRelayed: true } : source;
  };
}

interface Readers {
  readonly readSource: SourceReader;
  readonly readCertificate: CertificateReader;
}

function createRequestState(
  request: IncomingMessage,
  appContext: AppContext,
  { readSource, readCertificate }: Readers,
): RequestState {
  const { path, search } = splitTarget(request.url ?? '/');
  const requestId = appContext.ids.newRequestId();
  return {
    request,
    requestId,
    path,
    query: search,
    // Read now, as the address is not available once the connection is closed.
    source: readSource(request),
    clientCertificate: () => readCertificate(request),
    startedAt: appContext.observability?.stopwatch.now(),
    isFromConsole: isConsoleRequest(request.headers, appContext.storeSecret),
    responseHeaders: { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' },
  };
}

/** Logs one line per request: caller, operation and outcome. Never a body, query or header, which may contain secrets. */
function recordOutcome(ctx: KoaContext, appContext: AppContext): void {
  const { operation, requestId, caller, loggedIn, errors, dropped, source } = ctx.state;
  const actor = loggedIn?.userId ?? loggedIn?.clientId ?? formatCallerName(caller);
  const status = dropped ? undefined : ctx.res.statusCode;
  recordAuditEvent(ctx.state, ctx.res.statusCode, appContext);
  if (appContext.observability) recordRequest(ctx.state, { actor, status }, appContext.observability, appContext.clock);
  if (!appContext.log.infoEnabled) return;
  const refusal = errors?.[0]?.code;
  appContext.log.info(
    {
      requestId,
      ...readCorrelation(ctx.req.headers),
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
