/**
 * Where a request comes from: the address of the socket or, behind a trusted proxy, the one that the proxy forwards
 * (RFC 7239; X-Forwarded-For). Throttles, budgets, the audit log and the log all use this one answer.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

export interface RequestSource {
  /** The address as text, without a port; `unknown` where the socket or the proxy names none. */
  readonly address: string;
  /** The address that counts as one caller: an IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  readonly isLoopback: boolean;
  /** What throttles and budgets count by: the network or, behind an authenticated client, what that client names. */
  readonly key: string;
  /** Whether a proxy that is not trusted forwarded it: then it may come from anywhere behind that proxy. */
  readonly isRelayed?: boolean;
}

export type SourceReader = (request: IncomingMessage) => RequestSource;

const unknownAddress = 'unknown';
/** So many proxies may stand in a row; a longer list is not walked. */
const maxHops = 32;
/** So much of a forwarding header is read, from its end, which the nearest proxy wrote. */
const maxHeaderLength = 4096;

/** @param trustedProxies addresses and CIDR blocks, as `proxyFault` accepts them. */
export function createSourceReader(trustedProxies: readonly string[]): SourceReader {
  const trusted = createBlockList(trustedProxies);
  const readSocket = createSocketReader();
  return (request) => {
    const direct = readSocket(request);
    if (!isForwarded(request)) return direct;
    if (!trusted || !contains(trusted, direct.address)) return { ...direct, isRelayed: true };
    const address = readForwardedAddress(request, trusted);
    return address === undefined ? createUnresolvedSource(direct) : createSource(address);
  };
}

function isForwarded({ headers }: IncomingMessage): boolean {
  return headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
}

/**
 * A forwarded request whose headers name no one address, which the caller can bring about: it comes from somewhere behind
 * the proxy, so it is never this machine, and shares no count with what the proxy's own machine sends.
 */
function createUnresolvedSource({ address, network }: RequestSource): RequestSource {
  const behind = `behind ${network}`;
  return { address, network: behind, isLoopback: false, key: behind };
}

/** @returns a reader of the network that holds a connection; undefined for a trusted proxy, which serves many sources. */
export function createNetworkReader(
  trustedProxies: readonly string[],
): (remoteAddress: string | undefined) => string | undefined {
  const trusted = createBlockList(trustedProxies);
  return (remoteAddress) => {
    const { address, network } = createSource(normalizeAddress(remoteAddress ?? ''));
    return trusted && contains(trusted, address) ? undefined : network;
  };
}

/**
 * From the nearest hop on: what a proxy says is believed only of the hop in front of it. A hop that names no address
 * (RFC 7239, 6.2 and 6.3) ends the walk at the proxy that reported it.
 */
function findNearestUntrusted(hops: readonly string[], trusted: BlockList): string | undefined {
  let nearest: string | undefined;
  for (const hop of hops.toReversed()) {
    // A loopback hop in front of it tells nothing of the machine that the request is from.
    if (isIP(hop) === 0) return nearest !== undefined && createSource(nearest).isLoopback ? undefined : nearest;
    nearest = hop;
    if (!contains(trusted, hop)) return nearest;
  }
  return nearest;
}

/** A value of `--trusted-proxies`: an IP address, or a CIDR block such as 10.0.0.0/8. */
export function isProxyAddress(value: string): boolean {
  const [address = '', bits, ...others] = value.split('/');
  const family = isIP(address);
  if (family === 0 || others.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/**
 * The source of a browser whose address an authenticated client forwards in its `ip` header. The client is part of the
 * key, so that what one client claims counts for nobody who comes in another way.
 */
export function sourceBehindClient(source: RequestSource, clientId: string, ip: string | undefined): RequestSource {
  const network = ip === undefined ? unknownAddress : toNetwork(normalizeAddress(ip.trim()));
  return network === unknownAddress ? source : { ...source, key: `${network} via ${clientId}` };
}

/** Remembers the last one: consecutive requests mostly come from the same address. */
function createSocketReader(): SourceReader {
  let latest: { readonly remoteAddress: string | undefined; readonly source: RequestSource } | undefined;
  return ({ socket: { remoteAddress } }) => {
    if (latest && latest.remoteAddress === remoteAddress) return latest.source;
    latest = { remoteAddress, source: createSource(normalizeAddress(remoteAddress ?? '')) };
    return latest.source;
  };
}

function createSource(address: string): RequestSource {
  const network = toNetwork(address);
  return {
    address: network === unknownAddress ? unknownAddress : address,
    network,
    isLoopback: address === '::1' || (isIPv4(address) && address.startsWith('127.')),
    key: network,
  };
}

/** An IPv6 host commonly has a whole /64 to choose addresses from (RFC 6177), so that counts as one. */
function toNetwork(address: string): string {
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return unknownAddress;
  return `${parseGroups(address).slice(0, 4).join(':')}::/64`;
}

/** The eight groups of an IPv6 address, in lower-case hexadecimal without leading zeros. */
function parseGroups(address: string): string[] {
  // The URL parser writes an IPv6 host in the one canonical form (RFC 5952), an embedded IPv4 address included.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail ?? ''].map((half) => (half === '' ? [] : half.split(':')));
  return [...(first ?? []), ...Array(8 - (first?.length ?? 0) - (last?.length ?? 0)).fill('0'), ...(last ?? [])];
}

/** Without port, brackets and zone; an IPv4 address in IPv6 form (RFC 4291, 2.5.5.2) as IPv4. */
function normalizeAddress(text: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const [, dotted] = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(text) ?? [];
  const address = (bracketed ?? dotted ?? text).replace(/%.*$/, '').toLowerCase();
  if (isIP(address) !== 6) return address;
  const groups = parseGroups(address);
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  return isMapped ? [groups[6], groups[7]].flatMap(toBytes).join('.') : address;
}

function toBytes(group: string | undefined): number[] {
  const value = Number.parseInt(group ?? '0', 16);
  return [value >> 8, value & 0xff];
}

/**
 * What proxies forward. Many set one header and pass the other one on as the caller sent it, so where both are there and
 * do not agree, neither is believed.
 */
function readForwardedAddress({ headers }: IncomingMessage, trusted: BlockList): string | undefined {
  const { forwarded, 'x-forwarded-for': forwardedFor } = headers;
  const addresses = [
    ...(forwarded === undefined ? [] : [readLastHops(forwarded).map(parseForwardedNode)]),
    ...(forwardedFor === undefined ? [] : [readLastHops([forwardedFor].flat().join(',')).map(normalizeAddress)]),
  ].map((hops) => findNearestUntrusted(hops, trusted));
  const [address] = addresses;
  // Copied: a slice of a header keeps the whole of it in memory, for as long as anything is counted by it.
  return address !== undefined && new Set(addresses).size === 1 ? Buffer.from(address).toString() : undefined;
}

/** A list whose beginning was cut off begins with an entry that may be half of one, so that is left out. */
function readLastHops(header: string): string[] {
  const parts = header
    .slice(-maxHeaderLength)
    .split(',')
    .map((part) => part.trim());
  return (header.length > maxHeaderLength ? parts.slice(1) : parts).slice(-maxHops);
}

/** `for=192.0.2.60;proto=http`, `for="[2001:db8::1]:4711"` (RFC 7239, 4 and 6). An obfuscated node is no address. */
function parseForwardedNode(element: string): string {
  const pair = element.split(';').find((part) => /^\s*for=/i.test(part)) ?? '';
  return normalizeAddress(
    pair
      .slice(pair.indexOf('=') + 1)
      .trim()
      .replaceAll('"', ''),
  );
}

function createBlockList(addresses: readonly string[]): BlockList | undefined {
  if (addresses.length === 0) return undefined;
  const list = new BlockList();
  for (const address of addresses) {
    const [base = '', bits] = address.split('/');
    const family = isIPv4(base) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  return list;
}

function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
