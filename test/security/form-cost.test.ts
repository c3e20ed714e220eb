/** The cost of a form depends on its length only. A form with 30,000 names once blocked the server for 18 s. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { adminClient, startServer, type TestServer } from '../harness.ts';
import { measureCost } from './measure-cost.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function send(body: string) {
  return server.send({
    method: 'POST',
    path: `${servicePrefix}/client-identities/connect/token`,
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body,
  });
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `k${at}=`).join('&');
const login = `grant_type=client_credentials&client_id=${adminClient.clientId}&client_secret=${adminClient.clientSecret}`;

describe('a form of many fields', () => {
  test('costs no more than a form with one field of the same length', async () => {
    const hostile = names(22_000);
    const harmless = `grant_type=x&other=${'a'.repeat(hostile.length)}`;
    const enough = 10 * (await measureCost(() => send(harmless)));
    expect(await measureCost(() => send(hostile), { enough })).toBeLessThan(enough);
  });

  test('is rejected with the limit in the message, and changes nothing', async () => {
    const before = await server.dump();
    const response = await send(`${login}&${names(98)}`);
    expect([response.status, response.json]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'The form has more than 100 fields.' },
    ]);
    expect(await server.dump()).toEqual(before);
  });

  test('is accepted up to the limit', async () => {
    expect((await send(`${login}&${names(97)}`)).status).toBe(200);
  });

  test('is rejected while other requests get responses', async () => {
    const attacks = Array.from({ length: 8 }, () => send(names(22_000)));
    const health = await fetch(`${server.url}/healthz`);
    expect(health.status).toBe(200);
    for (const { status } of await Promise.all(attacks)) expect(status).toBe(400);
  });
});

test.each([
  ['the first', `${login}&grant_type=password`],
  ['the last', `a=1&b=2&${login}&b=3`],
  ['one that is percent-encoded', `${login}&%67rant_type=password`],
])('rejects a repeated name: %s', async (_, body) => {
  const response = await send(body);
  expect([response.status, response.json]).toMatchObject([400, { error: 'invalid_request' }]);
  expect(JSON.stringify(response.json)).toContain('more than once');
});
