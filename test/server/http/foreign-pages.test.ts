/** Requests that a page of another site makes a browser send without a preflight, to every operation with POST. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceGrantType } from '../../../src/contract/grant-types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { oauthOperations } from '../../../src/server/oauth/index.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { appClientId, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { alice, password } from '../operations/user-identities/login-fixtures.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ flags: { 'cors-origins': 'https://app.example' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const token = `${servicePrefix}/user-identities/digital-certificate/token?clientId=${appClientId}`;
const post = (path: string, headers: Record<string, string>) => send(server, path, { method: 'POST', headers });
const nonces = () => server.appContext.store.tickets.count();

const formType = 'application/x-www-form-urlencoded';
const all = [...Object.values(operations), ...oauthOperations] as unknown as readonly Operation<never>[];
const posts = all.filter(({ method }) => method === 'POST');
const nameAndPath = ({ id, path, mount }: Operation<never>) => [id, mount === 'base' ? path : servicePrefix + path];

const foreign = [
  { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' },
  { Origin: 'https://evil.example', 'Content-Type': 'text/plain' },
  { Origin: 'null' },
  { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Content-Type': formType },
];

describe('a page of another site', () => {
  test.each(foreign)('creates no token for a certificate: %j', async (headers) => {
    const before = await nonces();
    expect(await post(token, headers)).toMatchObject({ status: 415, body: [{ code: 'CONTENT_TYPE_UNSUPPORTED' }] });
    expect(await nonces()).toBe(before);
  });

  const programs = posts.filter(({ errorFormat }) => errorFormat !== 'page');

  test.each(programs.filter(({ request }) => !request.form).map(nameAndPath))(
    'changes nothing with %s',
    async (_id, path) => {
      const before = await server.dump();
      const at = `${path.replaceAll(/\{\w+\}/g, 'x')}?clientId=${appClientId}`;
      const { status } = await post(at, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' });
      expect([400, 401, 403, 404, 415]).toContain(status);
      expect(await server.dump()).toEqual(before);
    },
  );

  describe.each(programs.filter(({ request }) => request.form).map(nameAndPath))('with a form to %s', (_id, path) => {
    const sendForm = (headers: Record<string, string>) => post(path, { ...headers, 'Content-Type': formType });

    test.each(foreign)('is refused: %j', async (headers) => {
      const { status, body } = await sendForm(headers);
      expect([status, body]).toEqual([
        415,
        { error: 'invalid_request', error_description: expect.stringContaining('cors-origins') },
      ]);
    });

    test.each([
      {},
      { 'Sec-Fetch-Mode': 'cors' },
      { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' },
      { 'Sec-Fetch-Site': 'same-origin' },
    ])('is not, of a program or an allowed origin: %j', async (headers) => {
      expect([400, 401]).toContain((await sendForm(headers)).status);
    });
  });
});

test('a page of another site uses up no growth limit and no login attempts of its visitor', async () => {
  await using limited = await startServer({
    seed: { users: [alice], clients: [{ clientId: 'tv', grantTypes: ['password', deviceGrantType] }] },
    flags: { 'trusted-proxies': '127.0.0.1', 'growth-limit': '5' },
  });
  const postForm = async (path: string, fields: Record<string, string>, origin: Record<string, string> = {}) => {
    const headers = { 'x-forwarded-for': '203.0.113.7', ...origin };
    const body = new URLSearchParams({ client_id: 'tv', ...fields });
    return (await fetch(limited.url + path, { method: 'POST', body, headers })).status;
  };
  const login = { grant_type: 'password', username: alice.userName };
  for (let at = 0; at < 20; at += 1) {
    const origin = { origin: 'https://evil.example' };
    expect(await postForm('/oauth2/device_authorization', {}, origin)).toBe(415);
    expect(await postForm('/oauth2/token', { ...login, password: 'wrong' }, origin)).toBe(415);
  }
  expect(await postForm('/oauth2/device_authorization', {})).toBe(200);
  expect(await postForm('/oauth2/token', { ...login, password })).toBe(200);
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
