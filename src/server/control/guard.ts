/**
 * Which requests reach the control plane, before any credential is looked at. A server that only this machine reaches
 * asks for no credentials, so it must tell programs and pages of this machine from pages elsewhere. On any other server a
 * browser may send credentials by itself (RFC 7617), so pages of other sites are refused as well.
 */
import type { Context } from 'koa';
import { apiError, type ErrorCode } from '../../contract/errors.ts';
import type { AppContext } from '../app-context.ts';
import { isLoopbackOrigin } from '../http/cors.ts';
import { isFromBrowser, isFromScript, isNavigation, isSafeMethod, isSameSite } from '../http/fetch-metadata.ts';
import type { Hosts } from '../http/hosts.ts';

/** What any request to the control plane may be refused with. */
export const guardCodes: readonly ErrorCode[] = ['HOST_FOREIGN', 'ORIGIN_FOREIGN', 'CSRF_HEADER_MISSING'];

export interface ControlGuard {
  /** `isPage`: links on other sites may lead there. @throws IamError one of `guardCodes`. */
  assertAllowed(ctx: Context, isPage: boolean): void;
  /** Whether the first request to a sandbox makes it. */
  canCreateSandbox(ctx: Context): boolean;
}

export function createControlGuard({ settings: { allowRemote }, baseUrl }: AppContext, hosts: Hosts): ControlGuard {
  const ownOrigin = allowRemote ? new URL(baseUrl).origin : undefined;

  /** Loopback origins are those of this machine only where no other machine reaches the server. */
  function isOwnOrigin(origin: string, host: string | undefined): boolean {
    if (!URL.canParse(origin)) return false;
    const { protocol, host: called } = new URL(origin);
    if (!/^https?:$/.test(protocol)) return false;
    return called === host?.toLowerCase() || origin === ownOrigin || (!allowRemote && isLoopbackOrigin(origin));
  }

  function isSameSiteRequest({ req: { headers } }: Context): boolean {
    return isSameSite(headers, (origin) => isOwnOrigin(origin, headers.host));
  }

  function assertLocal(ctx: Context): void {
    if (!hosts.isLocal(ctx.req)) throw apiError('HOST_FOREIGN');
    const { source } = ctx.state;
    if (source.isRelayed)
      throw apiError('ORIGIN_FOREIGN', 'A proxy forwarded this request, and --trusted-proxies does not name it.');
    if (!source.isLoopback) throw apiError('ORIGIN_FOREIGN', 'A proxy forwarded this request from another machine.');
  }

  function isLocalRequest({ req, state: { source } }: Context): boolean {
    return hosts.isLocal(req) && source.isLoopback && !source.isRelayed;
  }

  function assertAllowed(ctx: Context, isPage: boolean): void {
    const { method, headers } = ctx.req;
    if (!allowRemote) assertLocal(ctx);
    if (!(isPage && isNavigation(method, headers)) && !isSameSiteRequest(ctx)) throw apiError('ORIGIN_FOREIGN');
    if (!isSafeMethod(method) && isFromBrowser(headers) && !isFromScript(headers))
      throw apiError('CSRF_HEADER_MISSING');
  }

  return {
    assertAllowed,
    canCreateSandbox: (ctx) => !allowRemote && isLocalRequest(ctx) && isSameSiteRequest(ctx),
  };
}
