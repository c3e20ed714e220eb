/** Requests that a page of another site makes a browser send without a preflight, to every operation with POST. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deviceGrantType } from '../../../src/contract/grant-types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { oauthOperations } from '../../../src/server/oauth/index.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { freePort } from '../../../src/testcontainers/free-port.ts';
import { appClientId, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { authorizeUrl, seed } from '../oauth/applications.ts';
import { createBrowser } from '../oauth/browser.ts';
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

describe('a form of another origin', () => {
  const pages = posts.filter(({ errorFormat }) => errorFormat === 'page');
  const exempt = ['oauth2.authorize-form', 'oauth2.logout-form'];
  const navigation = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
  const isRefused = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await post(path, { ...headers, 'Content-Type': formType });
    expect(status).toBeLessThan(500);
    return status === 400 && String(body).includes('Another site sent this form');
  };
  const otherPort = () => server.url.replace(/\d+$/, '1');

  test('is accepted only by pages that applications send browsers to', () => {
    expect(pages.map(({ id }) => id).sort()).toEqual(['oauth2.device-form', 'oauth2.login', ...exempt].sort());
  });

  test.each(pages.map(nameAndPath))('is refused, but not of exempt pages: %s', async (id = '', path = '') => {
    for (const headers of [
      { ...navigation, 'Sec-Fetch-Site': 'same-site' },
      { ...navigation, 'Sec-Fetch-Site': 'same-site', Origin: server.url },
      { ...navigation, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example' },
      { Origin: otherPort() },
      { Origin: server.url.replace('http:', 'https:') },
      { Origin: 'https://app.example' },
      { Origin: 'null' },
    ])
      expect([headers, await isRefused(path, headers)]).toEqual([headers, !exempt.includes(id)]);
  });

  test.each(pages.map(nameAndPath))('is not one of the server itself, or of a program: %s', async (_id, path = '') => {
    const named = server.url.replace('127.0.0.1', 'localhost');
    for (const headers of [
      {},
      { 'Sec-Fetch-Mode': 'cors' },
      { ...navigation, 'Sec-Fetch-Site': 'none' },
      { ...navigation, 'Sec-Fetch-Site': 'same-origin', Origin: server.url },
      { ...navigation, 'Sec-Fetch-Site': 'same-origin', Origin: 'null' },
      { Origin: server.url },
      { Origin: named, Host: new URL(named).host },
    ])
      expect([headers, await isRefused(path, headers)]).toEqual([headers, false]);
  });

  test('logs no visitor in as the attacker, whose cookie another port has set', async () => {
    await using one = await startServer({ seed });
    const { text, headers } = await createBrowser().get(authorizeUrl(one));
    const Cookie = String(headers.get('set-cookie')).split(';')[0] ?? '';
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(text) ?? [];
    const body = { step: 'password', form_token: token, user_name: alice.userName, password };
    const submitFrom = (Origin: string) =>
      send(one, authorizeUrl({ url: '' }).replace('authorize', 'login'), {
        ...{ method: 'POST', headers: { Origin, Cookie }, body },
      });
    const refused = await submitFrom('http://127.0.0.1:1');
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('Another site sent this form') });
    expect(refused.headers).not.toHaveProperty('set-cookie');
    expect(await submitFrom(one.url)).toMatchObject({ status: 303 });
  });

  test('behind a proxy, own forms have the origin of the base URL', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const flags = { 'base-url': 'https://login.example', port: new URL(url).port };
    await using _proxied = await startServer({ flags });
    const submitFrom = (Origin: string) =>
      send({ url }, '/oauth2/device', {
        method: 'POST',
        headers: { Origin },
        body: { form_token: 'x', user_code: 'x' },
      });
    expect((await submitFrom('https://login.example')).body).toContain('This page has expired');
    expect((await submitFrom('https://other.example')).body).toContain('Another site sent this form');
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
