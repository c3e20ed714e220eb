/**
 * Host names that the server accepts (RFC 9110, 7.4). With DNS rebinding, a page's requests to this machine have the
 * page's name in Host. The port is ignored: forwarding to a container changes it, and it protects nothing.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { apiError } from '../../contract/errors.ts';
import type { Settings } from '../config/settings.ts';
import { isLocalName } from '../config/validators.ts';
import { countHeader } from './headers.ts';

export interface Hosts {
  /** @throws IamError HOST_MISSING, HOST_FOREIGN. */
  assertAllowed(request: IncomingMessage): void;
  /** Returns whether Host is a loopback address or name, or a name of `--allowed-host`. */
  isLocal(request: IncomingMessage): boolean;
}

type HostSettings = Pick<Settings, 'allowRemote' | 'allowedHost'>;

/** Always serves IP addresses, localhost and the host of the base URL; other names depend on the settings. */
export function createHosts({ allowRemote, allowedHost }: HostSettings, baseUrl: string): Hosts {
  const allowed = new Set(allowedHost.map((name) => name.toLowerCase()));
  const served = new Set([...allowed, new URL(baseUrl).hostname]);
  const servesAll = allowRemote && allowed.size === 0;
  return {
    assertAllowed(request) {
      const name = readHost(request);
      if (!servesAll && !served.has(name) && !isAddress(name) && !isLocalName(name)) throw apiError('HOST_FOREIGN');
    },
    isLocal(request) {
      const name = parseHost(request);
      return name !== undefined && (isLocalName(name) || allowed.has(name));
    },
  };
}

/** Requires exactly one valid Host (RFC 9112, 3.2). Node's own check responds without a body. */
function readHost(request: IncomingMessage): string {
  const name = countHeader(request, 'host') === 1 ? parseHost(request) : undefined;
  if (name === undefined) throw apiError('HOST_MISSING');
  return name;
}

/** Host without port, in lower case; an IPv6 address in brackets. */
function parseHost({ headers }: IncomingMessage): string | undefined {
  return /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.exec(headers.host ?? '')?.[1]?.toLowerCase();
}

function isAddress(name: string): boolean {
  return isIPv4(name) || (name.startsWith('[') && isIPv6(name.slice(1, -1)));
}
