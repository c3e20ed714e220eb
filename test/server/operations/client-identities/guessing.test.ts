/** Guesses that come all at once count one by one, however they come. */
import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { exchange } from '../../property/raw.ts';

const path = '/security/iam/v1/client-identities/login';
const wrong = ['Authorization', `Basic ${Buffer.from('test-admin:wrong').toString('base64')}`] as const;

/** How many of the statuses are which. */
function tally(statuses: readonly number[]): Record<number, number> {
  const count = (status: number) => statuses.filter((other) => other === status).length;
  return Object.fromEntries([...new Set(statuses)].map((status) => [status, count(status)]));
}

test('on many connections', async () => {
  await using server = await startServer();
  const guesses = Array.from({ length: 40 }, () => server.send({ method: 'POST', path, headers: [wrong] }));
  const answers = await Promise.all(guesses);
  expect(tally(answers.map(({ status }) => status))).toEqual({ 401: 10, 429: 30 });
});

test('in one breath on one connection', async () => {
  await using server = await startServer();
  const guess = (more: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${wrong.join(': ')}\r\n${more}\r\n`;
  const text = await exchange(server.url, guess('').repeat(39) + guess('Connection: close\r\n'));
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  expect(tally(statuses)).toEqual({ 401: 10, 429: 30 });
});
