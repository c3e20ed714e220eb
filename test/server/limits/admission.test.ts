/** Admission control: a bounded number of expensive requests starts per event-loop turn, in arrival order, without delaying other requests. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createSourceReader } from '../../../src/server/lib/request-source.ts';
import { createAdmission } from '../../../src/server/limits/admission.ts';
import { startServer } from '../../harness.ts';
import { buildHead, exchange, expectAlive, expectFailure } from '../http/raw-http.ts';

const response = {} as ServerResponse;
/** A request from the remote address. */
const buildRequest = (url: string, method = 'POST', remoteAddress = '127.0.0.1') =>
  ({ url, method, headers: {}, socket: { remoteAddress } }) as IncomingMessage;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function createListener(maxWaiting = 1000): { admitted: string[]; rejected: string[]; listen: RequestListener } {
  const [admitted, rejected]: [string[], string[]] = [[], []];
  const listen = createAdmission((request) => void admitted.push(request.url ?? ''), {
    isSlow: ({ method, url }) => method === 'POST' && url?.split('?')[0] === '/login',
    readSource: createSourceReader([]),
    maxQueued: maxWaiting,
    reject: (request) => void rejected.push(request.url ?? ''),
  });
  return { admitted, rejected, listen };
}

test('admits a few requests per turn, in arrival order, and none while sockets are read', async () => {
  const { admitted, listen } = createListener();
  const urls = Array.from({ length: 20 }, (_, at) => `/login?at=${at}`);
  for (const url of urls) listen(buildRequest(url), response);
  expect(admitted).toEqual([]);
  await nextTurn();
  expect(admitted).toEqual(urls.slice(0, 8));
  await nextTurn();
  expect(admitted).toEqual(urls.slice(0, 16));
  await nextTurn();
  expect(admitted).toEqual(urls);
});

test('a new request queues behind those that already wait', async () => {
  const { admitted, listen } = createListener();
  for (let at = 0; at < 12; at += 1) listen(buildRequest('/login'), response);
  await nextTurn();
  for (let at = 0; at < 12; at += 1) listen(buildRequest('/login?late'), response);
  await nextTurn();
  expect(admitted).toEqual([...Array(12).fill('/login'), ...Array(4).fill('/login?late')]);
  await nextTurn();
  expect(admitted).toHaveLength(24);
});

test('admits requests in the next turn again when the queue was empty', async () => {
  const { admitted, listen } = createListener();
  for (let round = 1; round <= 3; round += 1) {
    for (let at = 0; at < 8; at += 1) listen(buildRequest('/login'), response);
    await nextTurn();
    expect(admitted).toHaveLength(8 * round);
  }
});

test('skips a waiting request whose client disconnected, without using up a slot', async () => {
  const { admitted, listen } = createListener();
  const requests = Array.from({ length: 40 }, (_, at) => buildRequest(`/login?at=${at}`));
  for (const one of requests) listen(one, response);
  for (const one of requests.slice(0, 32)) Object.assign(one, { destroyed: true });
  await nextTurn();
  expect(admitted).toEqual(Array.from({ length: 8 }, (_, at) => `/login?at=${32 + at}`));
  await nextTurn();
  listen(buildRequest('/login?later'), response);
  await nextTurn();
  expect(admitted.at(-1)).toBe('/login?later');
});

test('other paths and methods do not queue behind them', async () => {
  const { admitted, listen } = createListener();
  for (let at = 0; at < 100; at += 1) listen(buildRequest('/login'), response);
  listen(buildRequest('/groups'), response);
  listen(buildRequest('/login/more'), response);
  listen(buildRequest('/login', 'GET'), response);
  await nextTurn();
  expect(admitted.slice(8)).toEqual(['/groups', '/login/more', '/login']);
});

test('admits more of all other requests per turn, in a separate queue', async () => {
  const { admitted, listen } = createListener();
  const urls = Array.from({ length: 80 }, (_, at) => `/groups?at=${at}`);
  for (const url of urls) listen(buildRequest(url, 'GET'), response);
  listen(buildRequest('/login'), response);
  await nextTurn();
  expect(admitted).toEqual([...urls.slice(0, 32), '/login']);
  await nextTurn();
  expect(admitted).toHaveLength(65);
  await nextTurn();
  expect(admitted.filter((url) => url !== '/login')).toEqual(urls);
});

test('serves waiting sources in turn, however many requests one of them sends', async () => {
  const { admitted, listen } = createListener(20_000);
  for (let at = 0; at < 10_000; at += 1) listen(buildRequest('/flood', 'GET', '192.0.2.1'), response);
  listen(buildRequest('/other', 'GET', '192.0.2.2'), response);
  listen(buildRequest('/mapped', 'GET', '::ffff:192.0.2.1'), response);
  await nextTurn();
  expect(admitted.slice(0, 4)).toEqual(['/flood', '/other', '/flood', '/flood']);
  expect(admitted).not.toContain('/mapped');
});

test('behind a trusted proxy, sources are the addresses that it forwards', async () => {
  const admitted: string[] = [];
  const listen = createAdmission((request) => void admitted.push(request.url ?? ''), {
    isSlow: () => false,
    readSource: createSourceReader(['127.0.0.1']),
    maxQueued: 1000,
    reject: () => undefined,
  });
  const forwarded = (url: string, by: string) =>
    ({ ...buildRequest(url), headers: { 'x-forwarded-for': by } }) as unknown as IncomingMessage;
  for (let at = 0; at < 500; at += 1) listen(forwarded('/flood', '192.0.2.1'), response);
  listen(forwarded('/other', '192.0.2.2'), response);
  await nextTurn();
  expect(admitted.indexOf('/other')).toBe(1);
});

test('limits the queue per source, without affecting other sources', async () => {
  const { admitted, rejected, listen } = createListener(10);
  for (let at = 0; at < 50; at += 1) listen(buildRequest(`/flood?at=${at}`, 'GET', '192.0.2.1'), response);
  expect(rejected).toEqual(Array.from({ length: 8 }, (_, at) => `/flood?at=${42 + at}`));
  listen(buildRequest('/other', 'GET', '192.0.2.2'), response);
  await nextTurn();
  expect(admitted).toContain('/other');
  listen(buildRequest('/flood?again', 'GET', '192.0.2.1'), response);
  await nextTurn();
  expect(admitted).toContain('/flood?again');
});

test('a request beyond the limit is 503 with the error array, and its connection is closed', async () => {
  await using server = await startServer({ flags: { 'max-connections': '1' } });
  const responses = await exchange(server, buildHead('GET /healthz HTTP/1.1', 'Host: localhost').repeat(60));
  const statuses = responses.map(({ status }) => status);
  // Of the concurrent requests, 32 are of the next turn and one waits for a later one.
  expect(statuses).toEqual([...Array.from({ length: 33 }, () => 200), 503]);
  const rejected = responses.at(-1);
  if (rejected) expectFailure(rejected, 503, 'TOO_MANY_REQUESTS_WAITING');
  expect(rejected?.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
  await expect
    .poll(() =>
      expectAlive(server).then(
        () => 'alive',
        () => 'shut',
      ),
    )
    .toBe('alive');
});

test('responds to every login of a burst', async () => {
  await using server = await startServer();
  const login = { path: '/security/iam/v1/user-identities/login?clientId=test-app', method: 'POST' } as const;
  const authorization = (at: number) => `Basic ${btoa(`unknown-${at}:no password`)}`;
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, at) => server.send({ ...login, headers: [['Authorization', authorization(at)]] })),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 401));
});
