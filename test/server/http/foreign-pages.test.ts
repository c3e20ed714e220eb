/** Requests that a page of another site makes a browser send without a preflight, to every operation with POST. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { appClientId, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ flags: { 'cors-origins': 'https://app.example' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const token = `${servicePrefix}/user-identities/digital-certificate/token?clientId=${appClientId}`;
const post = (path: string, headers: Record<string, string>) => send(server, path, { method: 'POST', headers });
const nonces = () => server.appContext.store.tickets.count();

const foreign = [
  { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' },
  { Origin: 'https://evil.example', 'Content-Type': 'text/plain' },
  { Origin: 'null' },
  { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Content-Type': 'application/x-www-form-urlencoded' },
];

describe('a page of another site', () => {
  test.each(foreign)('creates no token for a certificate: %j', async (headers) => {
    const before = await nonces();
    expect(await post(token, headers)).toMatchObject({ status: 415, body: [{ code: 'CONTENT_TYPE_UNSUPPORTED' }] });
    expect(await nonces()).toBe(before);
  });

  const posts = Object.values(operations).filter(({ method, request }) => method === 'POST' && !('form' in request));
  test.each(posts.map(({ id, path }) => [id, path]))('changes nothing with %s', async (_id, path) => {
    const before = await server.dump();
    const at = `${servicePrefix}${path.replaceAll(/\{\w+\}/g, 'x')}?clientId=${appClientId}`;
    const { status } = await post(at, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' });
    expect([400, 401, 403, 404, 415]).toContain(status);
    expect(await server.dump()).toEqual(before);
  });
});

describe('a token for a certificate is issued to', () => {
  test.each([
    {},
    { 'Sec-Fetch-Mode': 'cors' },
    { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' },
    { 'Sec-Fetch-Site': 'same-origin' },
    { Origin: 'https://evil.example', 'Content-Type': 'application/json' },
  ])('programs and pages that may send it: %j', async (headers) => {
    expect((await post(token, headers)).status).toBe(201);
  });

  test('the pages of the server', async () => {
    expect((await post(token, { Origin: server.url })).status).toBe(201);
  });
});
