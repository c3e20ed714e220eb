/** Calls that come in crowds are let in a few at a time, in their order, and nobody else waits for them. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { inTurns } from '../../../src/server/http/turns.ts';
import { startServer } from '../../harness.ts';

const answer = {} as ServerResponse;
const call = (url: string, method = 'POST') => ({ url, method }) as IncomingMessage;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function listening(): { taken: string[]; listen: RequestListener } {
  const taken: string[] = [];
  const listen = inTurns((request) => void taken.push(request.url ?? ''), new Set(['/login']));
  return { taken, listen };
}

test('a few are let in at once, and as many in each turn, in the order they came', async () => {
  const { taken, listen } = listening();
  const urls = Array.from({ length: 20 }, (_, at) => `/login?at=${at}`);
  for (const url of urls) listen(call(url), answer);
  expect(taken).toEqual(urls.slice(0, 8));
  await nextTurn();
  expect(taken).toEqual(urls.slice(0, 16));
  await nextTurn();
  expect(taken).toEqual(urls);
});

test('who comes while others wait stands behind them', async () => {
  const { taken, listen } = listening();
  for (let at = 0; at < 12; at += 1) listen(call('/login'), answer);
  await nextTurn();
  for (let at = 0; at < 12; at += 1) listen(call('/login?late'), answer);
  expect(taken.filter((url) => url === '/login')).toHaveLength(12);
  expect(taken.at(-1)).toBe('/login?late');
  await nextTurn();
  expect(taken).toHaveLength(24);
});

test('once nobody waits, the next ones are let in at once again', async () => {
  const { taken, listen } = listening();
  for (let round = 1; round <= 3; round += 1) {
    for (let at = 0; at < 8; at += 1) listen(call('/login'), answer);
    expect(taken).toHaveLength(8 * round);
    await nextTurn();
  }
});

test('who has hung up while waiting is passed over, and takes nobody else his turn', async () => {
  const { taken, listen } = listening();
  const calls = Array.from({ length: 40 }, (_, at) => call(`/login?at=${at}`));
  for (const one of calls) listen(one, answer);
  for (const one of calls.slice(8, 38)) Object.assign(one, { destroyed: true });
  await nextTurn();
  expect(taken.slice(8)).toEqual(['/login?at=38', '/login?at=39']);
  await nextTurn();
  listen(call('/login?later'), answer);
  expect(taken.at(-1)).toBe('/login?later');
});

test('other paths and methods do not wait for them', () => {
  const { taken, listen } = listening();
  for (let at = 0; at < 100; at += 1) listen(call('/login'), answer);
  listen(call('/groups'), answer);
  listen(call('/login/more'), answer);
  listen(call('/login', 'GET'), answer);
  expect(taken.slice(8)).toEqual(['/groups', '/login/more', '/login']);
});

test('of all other calls more are let in at once, and they wait for each other alone', async () => {
  const { taken, listen } = listening();
  const urls = Array.from({ length: 80 }, (_, at) => `/groups?at=${at}`);
  for (const url of urls) listen(call(url, 'GET'), answer);
  expect(taken).toEqual(urls.slice(0, 32));
  listen(call('/login'), answer);
  expect(taken.at(-1)).toBe('/login');
  await nextTurn();
  expect(taken).toHaveLength(65);
  await nextTurn();
  expect(taken.filter((url) => url !== '/login')).toEqual(urls);
});

test('of a crowd that logs in everybody is answered', async () => {
  await using server = await startServer();
  const login = { path: '/security/iam/v1/user-identities/login?clientId=test-app', method: 'POST' } as const;
  const authorization = (at: number) => `Basic ${btoa(`nobody-${at}:no password`)}`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => server.send({ ...login, headers: [['Authorization', authorization(at)]] })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 401));
});
