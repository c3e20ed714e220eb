/** Cross-origin requests from browsers (Fetch standard, CORS protocol). */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { apiError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { controlPrefix, servicePrefix } from '../../contract/prefix.ts';
import { hasTestFeatures, type Settings } from '../config/settings.ts';
import { isLocalName } from '../config/validators.ts';
import { isFramed, isFromScript, isLoadedByPage, isOwnForm } from './fetch-metadata.ts';
import type { KoaContext, Middleware, RequestState } from './request-state.ts';
import { setHeader, setHeaders, writeEmpty } from './response.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const exposedHeaders =
  'ETag, Link, Retry-After, WWW-Authenticate, X-Request-Id, X-Total-Count, X-Opaque-Token, X-Iam-Fault';

/**
 * Allows origins to read responses, and responds to preflights without authentication. Pages of this machine may use the
 * control plane too, if its guard takes them for local ones.
 * @param origins allowed origins; an empty list allows every loopback origin.
 */
export function allowCors(origins: readonly string[], isLocalPage: (record: RequestState) => boolean): Middleware {
  const isAllowedForService = createOriginCheck(origins);
  return (ctx, next) => {
    const isControl = ctx.state.path.startsWith(belowControl) && isLocalPage(ctx.state);
    if (!isControl && !isCorsPath(ctx.state.path)) return next();
    const isAllowed = isControl ? isLoopbackOrigin : isAllowedForService;
    const { origin = '' } = ctx.req.headers;
    // No other header varies the response, so there is no list to append to.
    setHeader(ctx, 'Vary', 'Origin');
    const allowed = origin !== '' && isAllowed(origin);
    if (allowed)
      setHeaders(ctx, { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedHeaders });
    // The guard of the control plane says why it refuses others.
    if (ctx.req.method !== 'OPTIONS' || (isControl && !allowed)) return next();
    writePreflight(ctx, allowed);
  };
}

/** @param origins the setting `cors-origins`. */
export function createOriginCheck(origins: readonly string[]): (origin: string) => boolean {
  const allowed = new Set(origins);
  return (origin) => (allowed.size > 0 ? allowed.has(origin) : isLoopbackOrigin(origin));
}

/**
 * Rejects requests that a page of another site sends without a preflight (CORS-safelisted, Fetch): an operation without a
 * required body would run, although the page may not read its response. @throws IamError CONTENT_TYPE_UNSUPPORTED
 */
export function createPreflightAssertion(
  origins: readonly string[],
  baseUrl: string,
): (headers: IncomingHttpHeaders) => undefined {
  const isAllowed = createOriginCheck(origins);
  const ownOrigin = new URL(baseUrl).origin;
  const isForeign = (headers: IncomingHttpHeaders) => {
    const { origin, host, 'sec-fetch-site': site = 'none' } = headers;
    if (isFromScript(headers) || site === 'same-origin') return false;
    if (origin === undefined) return site !== 'none';
    return origin !== ownOrigin && origin.replace(/^https?:\/\//, '') !== host && !isAllowed(origin);
  };
  return (headers) => {
    if (isForeign(headers))
      throw apiError(
        'CONTENT_TYPE_UNSUPPORTED',
        'A page of another site can send this only if its origin is in the setting cors-origins.',
      );
    return undefined;
  };
}

type FrameSettings = Pick<Settings, 'testFeatures' | 'allowRemote'>;

interface PageDeps {
  readonly settings: FrameSettings;
  readonly baseUrl: string;
}

/** Rejects requests for a page, or with its form, that a page of another origin causes. @throws IamError AUTHORIZATION_INVALID */
export function createPageAssertion(
  { method, checksFrames, acceptsForeignForms }: Pick<Operation, 'method' | 'checksFrames' | 'acceptsForeignForms'>,
  { settings, baseUrl }: PageDeps,
): (request: IncomingMessage) => undefined {
  const ownOrigin = new URL(baseUrl).origin;
  const takesOwnForms = method === 'POST' && acceptsForeignForms !== true;
  return (request) => {
    assertOpenedAsPage(request.headers);
    if (takesOwnForms) assertOwnForm(request, ownOrigin);
    if (checksFrames !== true) assertNotFramed(request.headers, settings);
    return undefined;
  };
}

/**
 * Rejects what pages of other ports and sibling domains send in the background, with the cookie (SameSite=Lax): the user would
 * not see the login to an application. @throws IamError AUTHORIZATION_INVALID
 */
function assertOpenedAsPage(headers: IncomingHttpHeaders): void {
  if (isLoadedByPage(headers))
    throw apiError(
      'AUTHORIZATION_INVALID',
      'Open the page in a window of the browser: a script, an image or an object gets none.',
    );
}

/**
 * Rejects forms of other origins: another port of the host can set the cookie of a page that an attacker got, and send its form
 * with the password of the attacker (login CSRF, RFC 9700, 4.7). @throws IamError AUTHORIZATION_INVALID
 */
function assertOwnForm({ headers, socket }: IncomingMessage, ownOrigin: string): void {
  const hostOrigin = `${socket instanceof TLSSocket ? 'https' : 'http'}://${headers.host}`;
  if (!isOwnForm(headers, [ownOrigin, hostOrigin]))
    throw apiError('AUTHORIZATION_INVALID', 'Another site sent this form. Use the form of the page of this server.');
}

/**
 * Rejects what pages of other origins load in a frame, which can be hidden. With test features anyone logs in as anyone, and
 * test runners have applications in frames. @throws IamError AUTHORIZATION_INVALID
 */
export function assertNotFramed(headers: IncomingHttpHeaders, settings: FrameSettings): undefined {
  if (isFramed(headers) && !hasTestFeatures(settings))
    throw apiError(
      'AUTHORIZATION_INVALID',
      'Open the page in a window of the browser: in a frame, an application can only renew a login, with prompt=none.',
    );
}

const belowService = `${servicePrefix}/`;
const belowControl = `${controlPrefix}/`;

/** Endpoints that scripts call; the others of their prefix are pages. */
const endpointPaths = [
  '/oauth2/token',
  '/oauth2/userinfo',
  '/oauth2/revoke',
  '/oauth2/introspect',
  '/oauth2/par',
  '/oauth2/device_authorization',
];

function isCorsPath(path: string): boolean {
  return path.startsWith(belowService) || path.startsWith('/.well-known/') || endpointPaths.includes(path);
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
