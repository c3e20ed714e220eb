/**
 * The source of a request: the address of the socket or, behind a trusted proxy, the forwarded address
 * (RFC 7239; X-Forwarded-For). Throttles, rate limits, the audit log and the log all use it.
 */
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv4 } from 'node:net';
import { contains, createNetworks } from './ip-networks.ts';

export interface RequestSource {
  /** The address as text, without a port; `unknown`, or `unknown behind PROXY`, if the socket or the proxy has none. */
  readonly address: string;
  /** The unit that counts as one caller: an IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string;
  readonly isLoopback: boolean;
  /** Key of throttles and rate limits: the network or, behind an authenticated client, the network that it forwards. */
  readonly key: string;
  /** Whether an untrusted proxy forwarded it, or its Host is not a name of this machine: the original source is then unknown. */
  readonly isRelayed?: boolean;
  /** The client that authenticated, and the source that it forwards in its `ip` header. */
  readonly client?: { readonly clientId: string; readonly forwarded?: RequestSource | undefined };
}

/** What counts as one caller in limits over all users: a network, the /48 of an IPv6 network, or an authenticated client. */
export interface SourceGroup {
  readonly kind: 'network' | 'site' | 'client';
  readonly key: string;
}

export type SourceReader = (request: IncomingMessage) => RequestSource;

const unknownAddress = 'unknown';
/** Max proxies in a chain; further hops are ignored. */
const maxHops = 32;
/** Max characters read of a forwarding header, from its end, which the nearest proxy wrote. */
const maxHeaderLength = 4096;

/** @param trustedProxies addresses and CIDR blocks, as `isAddressOrNetwork` accepts them. */
export function createSourceReader(trustedProxies: readonly string[]): SourceReader {
  const trusted = createNetworks(trustedProxies);
  const readSocket = createSocketReader();
  return (request) => {
    const direct = readSocket(request);
    if (!isForwarded(request)) return hasProxyHeader(request) ? { ...direct, isRelayed: true } : direct;
    if (!contains(trusted, direct.address)) return { ...direct, isRelayed: true };
    const address = readForwardedAddress(request, trusted);
    return address === undefined ? createUnresolvedSource(direct) : createSource(address);
  };
}

/** Headers of proxies that do not contain the address of the source, or not as a standard defines it. */
const proxyHeaders = ['via', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'] as const;

/** Whether the connection itself comes from one of these networks. */
export function isDirectlyFrom({ socket }: IncomingMessage, networks: BlockList): boolean {
  return contains(networks, normalizeAddress(socket.remoteAddress ?? ''));
}

/** Whether a header shows that a proxy sent it, which may be an untrusted one. */
export function isProxied(request: IncomingMessage): boolean {
  return isForwarded(request) || hasProxyHeader(request);
}

function hasProxyHeader({ headers }: IncomingMessage): boolean {
  return proxyHeaders.some((name) => name in headers);
}

function isForwarded({ headers }: IncomingMessage): boolean {
  return headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
}

/**
 * Source of a forwarded request whose headers contain no single address, which a caller can cause. It is never loopback,
 * and is counted separately from requests of the proxy's own machine.
 */
function createUnresolvedSource({ address, network }: RequestSource): RequestSource {
  const behind = behindProxy(network);
  return { address: `${unknownAddress} ${behindProxy(address)}`, network: behind, isLoopback: false, key: behind };
}

const behindProxy = (proxy: string) => `behind ${proxy}`;

/** @returns a reader for the network of a connection; undefined for a trusted proxy, which serves many sources. */
export function createNetworkReader(
  trustedProxies: readonly string[],
): (remoteAddress: string | undefined) => string | undefined {
  const trusted = createNetworks(trustedProxies);
  return (remoteAddress) => {
    const { address, network } = createSource(normalizeAddress(remoteAddress ?? ''));
    return contains(trusted, address) ? undefined : network;
  };
}

/**
 * Starts at the nearest hop: each proxy is trusted only for the hop before it. A hop without an address (RFC 7239, 6.2
 * and 6.3) ends the search at the proxy that reported it.
 */
function findNearestUntrusted(hops: readonly string[], trusted: BlockList): string | undefined {
  let nearest: string | undefined;
  for (const hop of hops.toReversed()) {
    // A loopback hop before it does not identify the machine that sent the request.
    if (isIP(hop) === 0) return nearest !== undefined && createSource(nearest).isLoopback ? undefined : nearest;
    nearest = hop;
    if (!contains(trusted, hop)) return nearest;
  }
  return nearest;
}

/**
 * The source of a browser whose address an authenticated client forwards in its `ip` header. The client is part of the
 * key, so that what one client claims does not affect other callers.
 */
export function sourceBehindClient(source: RequestSource, clientId: string, ip: string | undefined): RequestSource {
  const forwarded = createSource(normalizeAddress((ip ?? '').trim()));
  if (forwarded.network === unknownAddress) return { ...source, client: { clientId } };
  return { ...source, key: `${forwarded.network} via ${clientId}`, client: { clientId, forwarded } };
}

/**
 * The groups that a source counts in; none for loopback. A client that forwards no address, or a loopback address of
 * another machine, counts as itself.
 */
export function listSourceGroups(source: RequestSource): SourceGroup[] {
  const { client, isLoopback } = source;
  const forwarded = client?.forwarded;
  if (client && (!forwarded || (forwarded.isLoopback && !isLoopback)))
    return isLoopback ? [] : [{ kind: 'client', key: client.clientId }];
  const { network, isLoopback: isLocal } = forwarded ?? source;
  if (isLocal) return [];
  const via = client ? ` via ${client.clientId}` : '';
  const [, site] = /^((?:[0-9a-f]+:){3})[0-9a-f]+::\/64$/.exec(network) ?? [];
  const groups: SourceGroup[] = [{ kind: 'network', key: `${network}${via}` }];
  if (site !== undefined) groups.push({ kind: 'site', key: `${site}:/48${via}` });
  return groups;
}

/** Caches the last source: consecutive requests mostly come from the same address. */
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

/** An IPv6 host commonly has a whole /64 (RFC 6177), so a /64 counts as one network. */
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
 * The address that proxies forward. Many proxies set one header and pass the other on as received, so if both are present
 * and differ, neither is trusted.
 */
function readForwardedAddress({ headers }: IncomingMessage, trusted: BlockList): string | undefined {
  const { forwarded, 'x-forwarded-for': forwardedFor } = headers;
  const addresses = [
    ...(forwarded === undefined ? [] : [readLastHops(forwarded).map(parseForwardedNode)]),
    ...(forwardedFor === undefined ? [] : [readLastHops([forwardedFor].flat().join(',')).map(normalizeAddress)]),
  ].map((hops) => findNearestUntrusted(hops, trusted));
  const [address] = addresses;
  // Copied: a slice would retain the whole header in memory while anything is counted by it.
  return address !== undefined && new Set(addresses).size === 1 ? Buffer.from(address).toString() : undefined;
}

/** The last hops of a header. If the header was truncated, drops the first entry, which may be incomplete. */
function readLastHops(header: string): string[] {
  const parts = header
    .slice(-maxHeaderLength)
    .split(',')
    .map((part) => part.trim());
  return (header.length > maxHeaderLength ? parts.slice(1) : parts).slice(-maxHops);
}

/** `for=192.0.2.60;proto=http`, `for="[2001:db8::1]:4711"` (RFC 7239, 4 and 6). An obfuscated node is not an address. */
function parseForwardedNode(element: string): string {
  const pair = element.split(';').find((part) => /^\s*for=/i.test(part)) ?? '';
  return normalizeAddress(
    pair
      .slice(pair.indexOf('=') + 1)
      .trim()
      .replaceAll('"', ''),
  );
}
