/** Timeouts and connection limits: slow clients are rejected, excess connections closed. Times are real here, and short by setting. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { buildHead, expectAlive, expectFailure, open, parseResponses, readUntilClosed } from './raw-http.ts';

let server: TestServer;
/** With the usual limits. */
let patient: TestServer;

beforeAll(async () => {
  server = await startServer({ flags: { 'request-timeout': '1' } });
  patient = await startServer();
});
afterAll(() => Promise.all([server, patient].map((one) => one[Symbol.asyncDispose]())));

/** Polls: on a slow machine this request, too, can take longer than the limit of the server. */
const expectAliveSoon = (one: TestServer) =>
  expect
    .poll(() =>
      expectAlive(one).then(
        () => 'alive',
        () => 'shut',
      ),
    )
    .toBe('alive');

const basic = `Authorization: Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;
const post = [`POST ${servicePrefix}/groups HTTP/1.1`, 'Host: localhost', basic, 'Content-Type: application/json'];

describe.concurrent('a request that does not arrive within a second', () => {
  const slow: [string, string][] = [
    ['without its first line', 'GE'],
    ['without the end of its headers', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: '],
    ['without its body', buildHead(...post, 'Content-Length: 30')],
    ['without the rest of its body', `${buildHead(...post, 'Content-Length: 30')}{"groupName":`],
    ['without the rest of its chunks', `${buildHead(...post, 'Transfer-Encoding: chunked')}5\r\n{"gro\r\n`],
  ];
  test.each(slow)('(%s) is 408', async (_what, bytes) => {
    const socket = await open(server);
    const reading = readUntilClosed(socket);
    socket.write(bytes);
    const [response, ...others] = parseResponses(await reading);
    expect(others).toEqual([]);
    if (response) expectFailure(response, 408, 'REQUEST_TIMEOUT');
    expect(response?.headers.connection).toBe('close');
    await expectAliveSoon(server);
  });

  test('times out even if bytes arrive regularly', async () => {
    const socket = await open(server);
    const reading = readUntilClosed(socket);
    socket.write(buildHead(...post, 'Content-Length: 1000'));
    const dripping = setInterval(() => socket.write(' '), 100);
    expect(parseResponses(await reading)).toMatchObject([{ status: 408 }]);
    clearInterval(dripping);
  });

  test('that never begins has its connection closed', async () => {
    const socket = await open(server);
    expect(parseResponses(await readUntilClosed(socket)).map(({ status }) => status)).toEqual([408]);
  });
});

test('closes a connection whose client sends requests and reads no responses', async () => {
  const socket = await open(server);
  socket.pause();
  // Responses larger than the socket buffers on both sides.
  socket.write(buildHead('GET /openapi.json HTTP/1.1', 'Host: localhost').repeat(30));
  // A client that does not read notices the end only when it writes.
  const writing = setInterval(() => socket.write('\r\n'), 100);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(writing);
  expect(server.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

describe('a connection within the time limits', () => {
  const healthRequest = buildHead('GET /healthz HTTP/1.1', 'Host: localhost');

  test('responds to a few pipelined requests in order', async () => {
    const socket = await open(patient);
    const reading = readUntilClosed(socket);
    socket.write(healthRequest.repeat(31) + buildHead('GET /unknown HTTP/1.1', 'Host: localhost', 'Connection: close'));
    const statuses = parseResponses(await reading).map(({ status }) => status);
    expect(statuses).toEqual([...Array.from({ length: 31 }, () => 200), 404]);
  });

  test('is closed for too many pipelined requests', async () => {
    const socket = await open(patient);
    const reading = readUntilClosed(socket);
    socket.write(healthRequest.repeat(500));
    expect(parseResponses(await reading).length).toBeLessThan(500);
    await expectAlive(patient);
  });
});

test('slow clients do not delay others, and their data is released', async () => {
  const before = await patient.dump();
  const slow = await Promise.all(Array.from({ length: 100 }, () => open(patient)));
  for (const socket of slow) socket.write(`${buildHead(...post, 'Content-Length: 30')}{"groupName":`);
  await expectAlive(patient);
  await expect(patient.admin.groups.list()).resolves.toBeDefined();
  for (const socket of slow) socket.destroy();
  expect(await patient.dump()).toEqual(before);
  expect(patient.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test('rejects connections above the limit and accepts new ones when others close', async () => {
  await using small = await startServer({ flags: { 'max-connections': '3' } });
  const sockets = await Promise.all(Array.from({ length: 3 }, () => open(small)));
  const { hostname, port } = new URL(small.url);
  const excess = connect(Number(port), hostname);
  excess.on('error', () => {});
  excess.resume();
  await new Promise((resolve) => excess.once('close', resolve));
  const [first] = sockets;
  first?.write(buildHead('GET /healthz HTTP/1.1', 'Host: localhost'));
  if (first) expect(String(await once(first, 'data'))).toContain('200 OK');
  for (const socket of sockets) socket.destroy();
  await expectAliveSoon(small);
});
