/** Connections to `localhost` and its subdomains, which RFC 6761 (6.3) reserves for the loopback interface. */
import { lookup as lookupOfSystem } from 'node:dns';
import { BlockList, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Connects to loopback addresses only, regardless of DNS. */
export function createLoopbackConnector({ timeout }: { readonly timeout: number }): buildConnector.connector {
  return buildConnector({ timeout, lookup: createLoopbackLookup(lookupOfSystem) });
}

/** Looks up `localhost` instead of the subdomain and drops addresses that are not loopback. */
export function createLoopbackLookup(lookup: LookupAll): LookupFunction {
  return (hostname, options, callback) =>
    lookup('localhost', { ...options, all: true }, (error, found) => {
      const addresses = (found ?? []).filter(({ address, family }) =>
        loopback.check(address, family === 6 ? 'ipv6' : 'ipv4'),
      );
      const [first] = addresses;
      if (first && options.all) callback(null, addresses);
      else if (first) callback(null, first.address, first.family);
      else
        callback(error ?? Object.assign(new Error(`${hostname} has no loopback address`), { code: 'ENOTFOUND' }), '');
    });
}

type LookupOptions = Parameters<LookupFunction>[1];
type LookupAll = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (
    error: NodeJS.ErrnoException | null,
    addresses: { readonly address: string; readonly family: number }[],
  ) => void,
) => void;
