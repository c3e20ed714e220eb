/**
 * Checks requests to the control plane before credentials are read. A server without remote access requires no
 * credentials, so it must distinguish local programs and pages from pages of other sites. On any other server a browser
 * may send credentials automatically (RFC 7617), so requests of other sites are rejected as well.
 */

import { apiError, type ErrorCode } from '../../contract/errors.ts';
import type { AppContext } from '../app-context.ts';
import { isLoopbackOrigin } from '../http/cors.ts';
import {
  hasConsoleHeader,
  isFromBrowser,
  isFromScript,
  isNavigation,
  isSafeMethod,
  isSameSite,
} from '../http/fetch-metadata.ts';
import type { Hosts } from '../http/hosts.ts';
import type { RequestState } from '../http/request-state.ts';

/** Error codes that any request to the control plane may return. */
export const guardCodes: readonly ErrorCode[] = ['HOST_FOREIGN', 'ORIGIN_FOREIGN', 'CSRF_HEADER_MISSING'];

export interface ControlGuard {
  /** `isPage`: other sites may link there. @throws IamError one of `guardCodes`. */
  assertAllowed(record: RequestState, isPage: boolean): void;
  /** Returns whether this request, as the first one to a sandbox, may create it. */
  canCreateSandbox(record: RequestState): boolean;
  /** Returns whether a page of this machine sent this request, which may read the responses of a server without remote access. */
  isLocalPage(record: RequestState): boolean;
}

export function createControlGuard({ settings, baseUrl }: AppContext, hosts: Hosts): ControlGuard {
  const { allowRemote, disableControlPlane } = settings;
  const ownOrigin = allowRemote ? new URL(baseUrl).origin : undefined;

  /** Loopback origins identify this machine only if the server has no remote access. */
  function isOwnOrigin(origin: string, host: string | undefined): boolean {
    if (!URL.canParse(origin)) return false;
    const { protocol, host: originHost } = new URL(origin);
    if (!/^https?:$/.test(protocol)) return false;
    return originHost === host?.toLowerCase() || origin === ownOrigin || (!allowRemote && isLoopbackOrigin(origin));
  }

  function isSameSiteRequest({ request: { headers } }: RequestState): boolean {
    return isSameSite(headers, (origin) => isOwnOrigin(origin, headers.host));
  }

  function assertLocal({ request, source }: RequestState): void {
    if (!hosts.isLocal(request)) throw apiError('HOST_FOREIGN');
    if (source.isRelayed)
      throw apiError(
        'ORIGIN_FOREIGN',
        'A proxy forwarded this request. Name it in --trusted-proxies, and let it send X-Forwarded-For.',
      );
    if (!source.isLoopback) throw apiError('ORIGIN_FOREIGN', 'A proxy forwarded this request from another machine.');
  }

  function isLocalRequest({ request, source }: RequestState): boolean {
    return hosts.isLocal(request) && source.isLoopback && !source.isRelayed;
  }

  function assertAllowed(record: RequestState, isPage: boolean): void {
    const { method, headers } = record.request;
    if (!allowRemote) assertLocal(record);
    if (!(isPage && isNavigation(method, headers)) && !isSameSiteRequest(record)) throw apiError('ORIGIN_FOREIGN');
    if (!isSafeMethod(method) && isFromBrowser(headers) && !isFromScript(headers))
      throw apiError('CSRF_HEADER_MISSING');
  }

  const isOfMachine = (record: RequestState) => !allowRemote && isLocalRequest(record) && isSameSiteRequest(record);
  return {
    assertAllowed,
    // The console reads on after a sandbox was deleted: only its page, and its button, create one.
    canCreateSandbox: (record) => isOfMachine(record) && !hasConsoleHeader(record.request.headers),
    isLocalPage: (record) => !disableControlPlane && record.request.headers.origin !== undefined && isOfMachine(record),
  };
}
