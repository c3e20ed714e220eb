/** Connections per source: one source may use all of them until another source connects, and then has to give up some. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { ConnectionShare } from '../../../src/server/limits/connections/connection-share.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { buildHead } from './raw-http.ts';

/** Connections are represented by names; those in `arriving` have sent part of a request. */
function createShare(most: number, arriving: readonly string[] = []) {
  return new ConnectionShare<string>({ maxConnections: most, hasArrived: (name) => !arriving.includes(name) });
}

describe('selecting the connection to close', () => {
  test('closes none below the limit, however they are distributed', () => {
    const share = createShare(3);
    expect(['a1', 'a2', 'a3'].map((name) => share.add(name, 'a'))).toEqual([undefined, undefined, undefined]);
  });

  test('closes the new one if its source already has as many as any other', () => {
    const share = createShare(4);
    for (const name of ['a1', 'a2']) share.add(name, 'a');
    for (const name of ['b1', 'b2']) share.add(name, 'b');
    expect(share.add('a3', 'a')).toBe('a3');
    expect(share.add('c1', 'c')).toBe('a1');
    expect(share.add('c2', 'c')).toBe('c2');
  });

  test('closes one of the source with the most connections, until the shares are equal', () => {
    const share = createShare(6);
    for (let at = 1; at <= 6; at += 1) share.add(`a${at}`, 'a');
    const closed = Array.from({ length: 5 }, (_, at) => share.add(`b${at + 1}`, 'b'));
    expect(closed).toEqual(['a1', 'a2', 'a3', 'b4', 'b5']);
  });

  test('closes the longest idle one first, then one without a complete request, then the newest request', () => {
    const share = createShare(6, ['slow']);
    for (const name of ['work1', 'work2', 'slow', 'silent', 'idle1', 'idle2']) share.add(name, 'a');
    for (const name of ['work1', 'slow', 'work2', 'idle1', 'idle2']) share.setPhase(name, 'busy');
    for (const name of ['idle2', 'idle1']) share.setPhase(name, 'idle');
    const closed = ['b', 'c', 'd', 'e', 'f'].map((source) => share.add(source, source));
    expect(closed).toEqual(['idle2', 'idle1', 'silent', 'slow', 'work2']);
    expect(share.add('g', 'g')).toBe('g');
  });

  test('never closes one of a trusted proxy, whose new connections each count as a separate source', () => {
    const share = createShare(4);
    for (const name of ['p1', 'p2']) share.add(name, undefined);
    for (const name of ['a1', 'a2']) share.add(name, 'a');
    expect(share.add('p3', undefined)).toBe('a1');
    expect(share.add('p4', undefined)).toBe('p4');
    expect(share.add('b1', 'b')).toBe('b1');
  });

  test('a closed connection frees one slot, once', () => {
    const share = createShare(2);
    share.add('a1', 'a');
    share.add('a2', 'a');
    share.remove('a1');
    share.remove('a1');
    share.setPhase('a1', 'busy');
    expect(share.add('a3', 'a')).toBeUndefined();
    expect(share.add('a4', 'a')).toBe('a4');
  });
});

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function openFrom({ url }: TestServer, localAddress: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends a request on a connection that stays open. @returns the status, or `closed`. */
async function sendRequest(socket: Socket): Promise<string> {
  if (socket.closed) return 'closed';
  const firstStatus = once(socket, 'data').then(([bytes]) => String(bytes).slice(9, 12));
  const closed = once(socket, 'close').then(() => 'closed');
  socket.write(buildHead('GET /healthz HTTP/1.1', 'Host: localhost'));
  return Promise.race([firstStatus, closed]);
}

/** Authenticated, so that the server waits for the body. */
const slowBody = buildHead(
  `POST ${servicePrefix}/groups HTTP/1.1`,
  'Host: localhost',
  `Authorization: Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`,
  'Content-Type: application/json',
  'Content-Length: 30',
);

/** Only Linux accepts connections on every address of 127.0.0.0/8. */
describe.runIf(process.platform === 'linux')('while one source uses all connections', () => {
  const flags = { 'max-connections': '20' };
  const holding: [string, (socket: Socket) => unknown][] = [
    ['that send nothing', () => undefined],
    ['that send a body slowly', (socket) => socket.write(slowBody)],
    ['that stay open after a response', sendRequest],
  ];

  test.each(holding)('(%s) a second source is served', async (_what, hold) => {
    await using server = await startServer({ flags });
    for (let at = 0; at < 20; at += 1) await hold((await openFrom(server, '127.0.0.2')).resume());
    for (let at = 0; at < 10; at += 1) expect(await sendRequest(await openFrom(server, '127.0.0.3'))).toBe('200');
    // Each source now has its half, and both can continue.
    const [ofOne, ofOther] = [sockets.slice(0, 20), sockets.slice(20)];
    await expect.poll(() => ofOne.filter(({ closed }) => closed)).toHaveLength(10);
    expect(await Promise.all(ofOther.map(sendRequest))).toEqual(Array.from({ length: 10 }, () => '200'));
  });

  test('a source can use all connections as long as no other source connects', async () => {
    await using server = await startServer({ flags });
    for (let at = 0; at < 20; at += 1) await openFrom(server, '127.0.0.2');
    expect(await Promise.all(sockets.map(sendRequest))).toEqual(Array.from({ length: 20 }, () => '200'));
    expect(await sendRequest(await openFrom(server, '127.0.0.2'))).toBe('closed');
    expect(await Promise.all(sockets.slice(0, 20).map(sendRequest))).toEqual(Array.from({ length: 20 }, () => '200'));
  });

  test('connections of a trusted proxy are not closed for another source', async () => {
    await using server = await startServer({ flags: { ...flags, 'trusted-proxies': '127.0.0.2' } });
    for (let at = 0; at < 20; at += 1) await openFrom(server, '127.0.0.2');
    expect(await sendRequest(await openFrom(server, '127.0.0.3'))).toBe('closed');
    expect(await Promise.all(sockets.slice(0, 20).map(sendRequest))).toEqual(Array.from({ length: 20 }, () => '200'));
  });
});
