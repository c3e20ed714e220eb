/** Pages in a browser that call from another origin (Fetch standard, CORS protocol). */
import type { Context } from 'koa';
import { servicePrefix } from '../../contract/prefix.ts';
import { isLocalName } from './hosts.ts';
import { setHeader, setHeaders, writeEmpty } from './response.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const exposedHeaders = 'ETag, Link, Retry-After, WWW-Authenticate, X-Request-Id, X-Opaque-Token, X-Iam-Fault';

/**
 * Lets allowed origins read answers, and answers preflights without asking who calls.
 * @param origins allowed ones; none means every loopback origin.
 * @returns a step that is true where it has answered the call.
 */
export function createCors(origins: readonly string[]): (ctx: Context) => boolean {
  const allowed = new Set(origins);
  const isAllowed = (origin: string) => (allowed.size > 0 ? allowed.has(origin) : isLoopbackOrigin(origin));
  return (ctx) => {
    if (!isCorsPath(ctx.state.path)) return false;
    const { origin = '' } = ctx.req.headers;
    // Nothing else varies an answer, so there is no list to add it to.
    setHeader(ctx, 'Vary', 'Origin');
    if (origin !== '' && isAllowed(origin))
      setHeaders(ctx, { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedHeaders });
    if (ctx.req.method !== 'OPTIONS') return false;
    writePreflight(ctx, origin !== '' && isAllowed(origin));
    return true;
  };
}

const belowService = `${servicePrefix}/`;

function isCorsPath(path: string): boolean {
  return path.startsWith(belowService) || path.startsWith('/.well-known/');
}

function writePreflight(ctx: Context, allowed: boolean): void {
  setHeader(ctx, 'Allow', `${methods}, OPTIONS`);
  if (allowed)
    setHeaders(ctx, {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers':
        ctx.get('Access-Control-Request-Headers') || 'Authorization, Content-Type, If-Match, X-Api-Key',
      'Access-Control-Max-Age': '600',
    });
  writeEmpty(ctx);
}

/** Whether a page of this origin comes from this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return /^https?:$/.test(protocol) && isLocalName(hostname);
}
