/** Cross-origin requests from browsers (Fetch standard, CORS protocol). */

import { servicePrefix } from '../../contract/prefix.ts';
import { isLocalName } from './hosts.ts';
import type { KoaContext, Middleware } from './request-state.ts';
import { setHeader, setHeaders, writeEmpty } from './response.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const exposedHeaders = 'ETag, Link, Retry-After, WWW-Authenticate, X-Request-Id, X-Opaque-Token, X-Iam-Fault';

/**
 * Allows origins to read responses, and responds to preflights without authentication.
 * @param origins allowed origins; an empty list allows every loopback origin.
 */
export function allowCors(origins: readonly string[]): Middleware {
  const allowed = new Set(origins);
  const isAllowed = (origin: string) => (allowed.size > 0 ? allowed.has(origin) : isLoopbackOrigin(origin));
  return (ctx, next) => {
    if (!isCorsPath(ctx.state.path)) return next();
    const { origin = '' } = ctx.req.headers;
    // No other header varies the response, so there is no list to append to.
    setHeader(ctx, 'Vary', 'Origin');
    if (origin !== '' && isAllowed(origin))
      setHeaders(ctx, { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedHeaders });
    if (ctx.req.method !== 'OPTIONS') return next();
    writePreflight(ctx, origin !== '' && isAllowed(origin));
  };
}

const belowService = `${servicePrefix}/`;

function isCorsPath(path: string): boolean {
  return path.startsWith(belowService) || path.startsWith('/.well-known/') || path.startsWith('/oauth2/');
}

function writePreflight(ctx: KoaContext, allowed: boolean): void {
  setHeader(ctx, 'Allow', `${methods}, OPTIONS`);
  if (allowed)
    setHeaders(ctx, {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers':
        ctx.req.headers['access-control-request-headers'] || 'Authorization, Content-Type, If-Match, X-Api-Key',
      'Access-Control-Max-Age': '600',
    });
  writeEmpty(ctx);
}

export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return /^https?:$/.test(protocol) && isLocalName(hostname);
}
