/** Connections to hosts that a stranger names: which addresses they reach, whatever the name resolves to. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AddressNotAllowedError, createGuardedFetch, isPublicAddress } from '../../../src/server/lib/outgoing-fetch.ts';

const forbidden = [
  ...['127.0.0.1', '127.255.0.9', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '169.254.170.2', '100.64.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ...['198.18.0.1', '192.0.2.1', '224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8'],
  ...['::ffff:a00:1', '64:ff9b::7f00:1', '64:ff9b::a00:1', '64:ff9b:1::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1'],
  ...[
    'fe80::1%1',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '100::1',
    'localhost',
    '',
  ],
];
const open = ['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'];

test.each(forbidden)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
test.each(open)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

/** Listens on all loopback addresses; the requests are recorded. */
async function startTarget(respond: RequestListener) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.socket.localAddress} ${request.url}`);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return { received, port, close: () => new Promise((resolve) => server.close(resolve)) };
}

type Target = Awaited<ReturnType<typeof startTarget>>;
let target: Target;
beforeAll(async () => {
  target = await startTarget((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { Location: `http://127.0.0.1:${target.port}/inside` });
    response.end('{}');
  });
});
afterAll(() => target.close());

const request = () => ({ headers: {}, signal: AbortSignal.timeout(5_000) });

/** Resolves every name to these addresses; the further ones at further calls. */
function resolveTo(...answers: readonly string[][]): LookupFunction & { readonly calls: string[] } {
  const calls: string[] = [];
  const lookup: LookupFunction = (hostname, options, callback) => {
    const addresses = answers[Math.min(calls.length, answers.length - 1)] ?? [];
    calls.push(hostname);
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  return Object.assign(lookup, { calls });
}

describe('a host that is not allowed', () => {
  const hosts = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
  ];
  test.each(hosts)('%s is not connected to', async (host) => {
    const before = target.received.length;
    const fetched = createGuardedFetch({ networks: [] })(`http://${host}:${target.port}/keys`, request());
    await expect(fetched).rejects.toBeInstanceOf(AddressNotAllowedError);
    expect(target.received.length).toBe(before);
  });

  test.each([[['127.0.0.1']], [['::ffff:127.0.0.1']], [['127.0.0.2', '127.0.0.1']], [['8.8.8.8', '127.0.0.1']]])(
    'is not connected to if its name resolves to %j, also over TLS',
    async (addresses) => {
      const before = target.received.length;
      const guarded = createGuardedFetch({ networks: ['127.0.0.2'], lookup: resolveTo(addresses) });
      for (const scheme of ['http', 'https'])
        await expect(guarded(`${scheme}://keys.example:${target.port}/`, request())).rejects.toBeInstanceOf(
          AddressNotAllowedError,
        );
      expect(target.received.length).toBe(before);
    },
  );
});

describe('an allowed host', () => {
  test('is connected to at the address that was checked, and checked again at the next request', async () => {
    const lookup = resolveTo(['127.0.0.2'], ['127.0.0.1']);
    const guarded = createGuardedFetch({ networks: ['127.0.0.2/32'], lookup });
    const url = `http://keys.example:${target.port}/keys`;
    const { statusCode, body } = await guarded(url, request());
    expect([statusCode, lookup.calls, target.received.at(-1)]).toEqual([200, ['keys.example'], '127.0.0.2 /keys']);
    await body.dump();
    await expect(guarded(url, request())).rejects.toBeInstanceOf(AddressNotAllowedError);
  });

  test('does not lead to another one by a redirect', async () => {
    const guarded = createGuardedFetch({ networks: ['127.0.0.2'] });
    expect((await guarded(`http://127.0.0.2:${target.port}/moved`, request())).statusCode).toBe(302);
    expect(target.received.at(-1)).toBe('127.0.0.2 /moved');
  });

  test('is connected to without the proxy of the process', async () => {
    const proxy = await startTarget((_request, response) => response.end());
    const previous = getGlobalDispatcher();
    setGlobalDispatcher(new ProxyAgent(`http://127.0.0.1:${proxy.port}`));
    try {
      const guarded = createGuardedFetch({ networks: ['127.0.0.2'] });
      await expect(guarded(`http://127.0.0.1:${target.port}/`, request())).rejects.toBeInstanceOf(
        AddressNotAllowedError,
      );
      expect((await guarded(`http://127.0.0.2:${target.port}/`, request())).statusCode).toBe(200);
      expect(proxy.received).toEqual([]);
    } finally {
      setGlobalDispatcher(previous);
      await proxy.close();
    }
  });
});
