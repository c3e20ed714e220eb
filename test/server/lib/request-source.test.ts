/** The source address of a request, with and without proxies in front. */
import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { isAddressOrNetwork } from '../../../src/server/lib/ip-networks.ts';
import { createSourceReader, listSourceGroups, sourceBehindClient } from '../../../src/server/lib/request-source.ts';
import { startServer } from '../../harness.ts';
import { createMemorySink } from '../audit/memory-sink.ts';

const request = (remoteAddress: string | undefined, headers: IncomingMessage['headers'] = {}) =>
  ({ socket: { remoteAddress }, headers }) as IncomingMessage;

const direct = createSourceReader([]);
const proxied = createSourceReader(['10.0.0.0/8', '::1']);

describe('without trusted proxies', () => {
  test('is the address of the socket, whatever the headers contain', () => {
    const headers = { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1' };
    const source = { address: '203.0.113.9', key: '203.0.113.9' };
    expect(direct(request('203.0.113.9', headers))).toMatchObject({ ...source, isRelayed: true });
    expect(direct(request('203.0.113.9')).isRelayed).toBeUndefined();
    for (const name of ['via', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'])
      expect(direct(request('127.0.0.1', { [name]: 'x' }))).toMatchObject({ isLoopback: true, isRelayed: true });
  });

  test.each([
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('counts %s as %s', (address, network) => {
    expect(direct(request(address)).network).toBe(network);
  });

  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('recognizes %s as loopback', (address) => {
    expect(direct(request(address)).isLoopback).toBe(true);
    expect(direct(request('203.0.113.9')).isLoopback).toBe(false);
  });
});

describe('behind trusted proxies', () => {
  test.each([
    ['one proxy', '192.0.2.1', '192.0.2.1'],
    ['an address that the caller invented', '198.51.100.7, 192.0.2.1', '192.0.2.1'],
    ['two trusted proxies in a row', '192.0.2.1, 10.1.1.1', '192.0.2.1'],
    ['nothing but trusted proxies', '10.2.2.2, 10.1.1.1', '10.2.2.2'],
    ['a port', '192.0.2.1:4711', '192.0.2.1'],
    ['an IPv6 address', '2001:db8::1', '2001:db8::1'],
    ['a name, which is no address', 'localhost', 'unknown behind 10.9.9.9'],
    ['a name before a trusted hop', 'unknown, 10.1.1.1', '10.1.1.1'],
    ['nothing', '', 'unknown behind 10.9.9.9'],
  ])('reads X-Forwarded-For with %s', (_, value, address) => {
    expect(proxied(request('10.9.9.9', { 'x-forwarded-for': value })).address).toBe(address);
  });

  test.each([
    ['for=192.0.2.1', '192.0.2.1'],
    ['for=198.51.100.7, FOR=192.0.2.1;proto=https;by=10.9.9.9', '192.0.2.1'],
    ['proto=https; for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['for="192.0.2.1:80"', '192.0.2.1'],
    ['for=_hidden', 'unknown behind 10.9.9.9'],
    ['for=unknown', 'unknown behind 10.9.9.9'],
    ['by=10.9.9.9', 'unknown behind 10.9.9.9'],
  ])('reads Forwarded: %s', (value, address) => {
    expect(proxied(request('10.9.9.9', { forwarded: value })).address).toBe(address);
  });

  test('ignores both headers if they disagree', () => {
    const one = { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1' };
    expect(proxied(request('10.9.9.9', one)).address).toBe('192.0.2.1');
    const two = { ...one, forwarded: 'for=198.51.100.7' };
    expect(proxied(request('10.9.9.9', two)).address).toBe('unknown behind 10.9.9.9');
  });

  test.each([
    ['disagree', { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '198.51.100.7' }],
    ['disagree, as one names no address', { forwarded: 'for=_hidden', 'x-forwarded-for': '198.51.100.7' }],
    ['name no address', { 'x-forwarded-for': 'unknown' }],
  ])('is not loopback if headers %s, and does not share its counter with this machine', (_, headers) => {
    const forwarded = proxied(request('::1', headers));
    expect(forwarded).toMatchObject({ address: 'unknown behind ::1', isLoopback: false });
    const local = proxied(request('::1'));
    expect(local.isLoopback).toBe(true);
    expect(forwarded.key).not.toBe(local.key);
    expect(forwarded.network).not.toBe(local.network);
  });

  test.each([
    { forwarded: 'for=unknown, for=127.0.0.1' },
    { 'x-forwarded-for': 'unix:, 127.0.0.1' },
    { 'x-forwarded-for': 'unix:, 127.0.0.1, 127.0.0.1' },
  ])('a request is not local if a hop before a local proxy has no address: %j', (headers) => {
    const local = createSourceReader(['127.0.0.1']);
    expect(local(request('127.0.0.1', headers))).toMatchObject({
      address: 'unknown behind 127.0.0.1',
      isLoopback: false,
    });
    expect(local(request('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' })).isLoopback).toBe(true);
  });

  test('ignores headers of an untrusted peer', () => {
    expect(proxied(request('203.0.113.9', { 'x-forwarded-for': '192.0.2.1' })).address).toBe('203.0.113.9');
  });

  test('reads the end of a header of any length, and no more', () => {
    const value = `${'198.51.100.7, '.repeat(10_000)}192.0.2.1`;
    expect(proxied(request('10.9.9.9', { 'x-forwarded-for': value })).address).toBe('192.0.2.1');
    const trusted = `192.0.2.1${', 10.1.1.1'.repeat(10_000)}`;
    expect(proxied(request('10.9.9.9', { 'x-forwarded-for': trusted })).address).toBe('10.1.1.1');
  });
});

test('the source that an authenticated client reports counts for that client only', () => {
  const source = direct(request('203.0.113.9'));
  expect(sourceBehindClient(source, 'shop', '192.0.2.1')).toMatchObject({ ...source, key: '192.0.2.1 via shop' });
  expect(sourceBehindClient(source, 'shop', '2001:db8::1').key).toBe('2001:db8:0:0::/64 via shop');
  for (const ip of [undefined, '', 'localhost', '192.0.2.1, 192.0.2.2'])
    expect(sourceBehindClient(source, 'shop', ip)).toEqual({ ...source, client: { clientId: 'shop' } });
});

describe('limits over all users count', () => {
  const groupsOf = (address: string) => listSourceGroups(direct(request(address)));
  const groupsBehind = (address: string, ip?: string) =>
    listSourceGroups(sourceBehindClient(direct(request(address)), 'shop', ip));

  test('by network, and for IPv6 also by site, but not on loopback', () => {
    expect(groupsOf('203.0.113.9')).toEqual([{ kind: 'network', key: '203.0.113.9' }]);
    expect(groupsOf('2001:db8:1:2::9')).toEqual([
      { kind: 'network', key: '2001:db8:1:2::/64' },
      { kind: 'site', key: '2001:db8:1::/48' },
    ]);
    expect([groupsOf('127.0.0.1'), groupsOf('::1')]).toEqual([[], []]);
    const unresolved = proxied(request('10.9.9.9', { 'x-forwarded-for': 'unknown' }));
    expect(listSourceGroups(unresolved)).toEqual([{ kind: 'network', key: 'behind 10.9.9.9' }]);
  });

  test('by the address that an authenticated client forwards, else by the client', () => {
    expect(groupsBehind('203.0.113.9', '192.0.2.1')).toEqual([{ kind: 'network', key: '192.0.2.1 via shop' }]);
    expect(groupsBehind('203.0.113.9', '2001:db8::1')).toEqual([
      { kind: 'network', key: '2001:db8:0:0::/64 via shop' },
      { kind: 'site', key: '2001:db8:0::/48 via shop' },
    ]);
    const client = [{ kind: 'client', key: 'shop' }];
    for (const ip of [undefined, 'localhost', '127.0.0.1']) expect(groupsBehind('203.0.113.9', ip)).toEqual(client);
    for (const ip of [undefined, 'localhost', '127.0.0.1']) expect(groupsBehind('127.0.0.1', ip)).toEqual([]);
    expect(groupsBehind('127.0.0.1', '192.0.2.1')).toEqual([{ kind: 'network', key: '192.0.2.1 via shop' }]);
  });
});

test('a trusted proxy is an address or a block', () => {
  for (const value of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']) expect(isAddressOrNetwork(value)).toBe(true);
  for (const value of ['', 'proxy', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.0/'])
    expect(isAddressOrNetwork(value)).toBe(false);
});

test('the control plane rejects a remote caller that makes the headers of the proxy disagree', async () => {
  await using server = await startServer({ flags: { 'trusted-proxies': '127.0.0.1' } });
  const sendRequest = (headers: [string, string][]) => server.send({ method: 'GET', path: '/_iam/inbox', headers });
  const forbidden = { status: 403, json: [{ code: 'ORIGIN_FOREIGN' }] };
  expect(await sendRequest([['X-Forwarded-For', '198.51.100.7']])).toMatchObject(forbidden);
  for (const forwarded of ['for=192.0.2.1', 'for=_hidden', 'for=127.0.0.1', ''])
    expect(
      await sendRequest([
        ['X-Forwarded-For', '198.51.100.7'],
        ['Forwarded', forwarded],
      ]),
    ).toMatchObject(forbidden);
});

describe('the audit log and the log', () => {
  const send = async (flags: Record<string, string>) => {
    const audit = createMemorySink();
    await using server = await startServer({ audit, flags });
    await server.send({
      method: 'GET',
      path: `${servicePrefix}/groups`,
      headers: [['X-Forwarded-For', '198.51.100.7, 192.0.2.1']],
    });
    return [audit.last().remoteAddress, JSON.parse(server.log.at(-1) ?? '{}').remoteAddress];
  };

  test('contain the peer address if no proxy is trusted', async () => {
    expect(await send({})).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  test('contain the address that a trusted proxy forwards', async () => {
    expect(await send({ 'trusted-proxies': '127.0.0.0/8,::1' })).toEqual(['192.0.2.1', '192.0.2.1']);
  });
});

test('a stored source does not retain the header that it was sliced from', () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  const before = process.memoryUsage().heapUsed;
  const keys: unknown[] = [];
  for (let at = 0; at < 10_000; at += 1) {
    const header = Buffer.alloc(12_000, `192.0.2.${at % 250}, `).toString();
    keys.push(proxied(request('10.0.0.1', { 'x-forwarded-for': `${header}, 198.100.100.${100 + (at % 100)}` })).key);
  }
  gc();
  expect(keys.at(-1)).toBe('198.100.100.199');
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
});
