/** The login throttle counts every one of many concurrent requests with a wrong client secret. */
import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { exchange } from '../../property/raw-sender.ts';
import { withProxy } from '../user-identities/sources.ts';

const path = '/security/iam/v1/client-identities/login';
const wrong = ['Authorization', `Basic ${Buffer.from('test-admin:wrong').toString('base64')}`] as const;
const from = ['X-Forwarded-For', '192.0.2.66'] as const;

/** Counts responses by status. */
function countByStatus(statuses: readonly number[]): Record<number, number> {
  const count = (status: number) => statuses.filter((other) => other === status).length;
  return Object.fromEntries([...new Set(statuses)].map((status) => [status, count(status)]));
}

test('returns 429 after 1000 wrong client secrets over many connections', async () => {
  await using server = await startServer(withProxy());
  const statuses: number[] = [];
  for (let round = 0; round < 26; round += 1) {
    const guesses = Array.from({ length: 40 }, () => server.send({ method: 'POST', path, headers: [wrong, from] }));
    statuses.push(...(await Promise.all(guesses)).map(({ status }) => status));
  }
  expect(countByStatus(statuses)).toEqual({ 401: 1000, 429: 40 });
});

test('returns 429 after 1000 wrong client secrets in pipelined requests', async () => {
  await using server = await startServer(withProxy());
  const lines = [wrong, from].map((line) => line.join(': ')).join('\r\n');
  const guess = (more: string) => `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n${more}\r\n`;
  const statuses: number[] = [];
  for (let round = 0; round < 22; round += 1) {
    const text = await exchange(server.url, guess('').repeat(49) + guess('Connection: close\r\n'));
    statuses.push(...[...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)));
  }
  expect(countByStatus(statuses)).toEqual({ 401: 1000, 429: 100 });
});
