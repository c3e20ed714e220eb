/**
 * HTTP requests to addresses that the administrator of a sandbox chooses. They reach public addresses only, so that they
 * expose no service of the machine and the networks of the server (server-side request forgery).
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, isIPv4, type LookupFunction } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { contains, createNetworks } from './ip-networks.ts';

interface OutgoingRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Default: GET. */
  readonly method?: 'POST';
  readonly body?: string;
}

/** Sends a request and follows no redirect, which could lead to another address than the one that was chosen. */
export type OutgoingFetch = (
  url: string,
  request: OutgoingRequest,
) => Promise<Pick<Dispatcher.ResponseData, 'statusCode' | 'body'>>;

/** The host resolves to an address that is not allowed. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';

  constructor() {
    super('The host has an address that is not public. The setting sandbox-networks of the server can allow it.');
  }
}

/** Special-purpose addresses (IANA registries, RFC 6890), multicast, and the metadata service of Azure. */
const specialIPv4 = createNetworks([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16'],
]);
/**
 * All other IPv6 addresses are special, such as ::1, fc00::/7, fe80::/10, IPv4-mapped ones and those of NAT64
 * (64:ff9b::/96), which lead to any IPv4 address.
 */
const globalIPv6 = createNetworks(['2000::/3']);
/** Teredo and other protocols, 6to4 (which contains IPv4 addresses), documentation. */
const specialIPv6 = createNetworks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Returns whether an address is of the public Internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !contains(specialIPv4, address);
  return contains(globalIPv6, address) && !contains(specialIPv6, address);
}

interface GuardOptions {
  /** Addresses and CIDR blocks that are allowed besides public ones. */
  readonly networks: readonly string[];
  /** Default: that of the system. */
  readonly lookup?: LookupFunction | undefined;
}

/** Connects to any address. */
export const systemFetch: OutgoingFetch = async (url, options) => (await import('undici')).request(url, options);

/**
 * Creates a function that connects to allowed addresses only, and through no proxy, which would resolve the name itself.
 * The address that is checked is the one that is connected to: a second resolution could have another result (DNS rebinding).
 */
export function createGuardedFetch({ networks, lookup = systemLookup as LookupFunction }: GuardOptions): OutgoingFetch {
  const allowed = createNetworks(networks);
  const isAllowed = (address: string) => isPublicAddress(address) || contains(allowed, address);
  let dispatcher: Promise<Dispatcher> | undefined;
  return async (url, options) => {
    const { request } = await import('undici');
    dispatcher ??= createDispatcher(isAllowed, lookup);
    return request(url, { ...options, dispatcher: await dispatcher });
  };
}

async function createDispatcher(isAllowed: (address: string) => boolean, lookup: LookupFunction): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import('undici');
  const connect = buildConnector({ lookup: checkLookup(isAllowed, lookup) });
  return new Agent({
    // No keep-alive: the address is checked for each request.
    pipelining: 0,
    connect: (options: buildConnector.Options, callback: buildConnector.Callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // An address is not looked up.
      if (isIP(host) !== 0 && !isAllowed(host)) return callback(new AddressNotAllowedError(), null);
      return connect(options, callback);
    },
  });
}

/** Fails for a name with any address that is not allowed. */
function checkLookup(isAllowed: (address: string) => boolean, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      if (error || addresses.every(isAllowed)) callback(error, found, family);
      else callback(new AddressNotAllowedError(), '');
    });
}
