/** Logins of devices without a browser (RFC 8628). */
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { deviceGrant, postAs, seed } from './applications.ts';
import { createBrowser, type Page, type TestBrowser } from './browser.ts';
import { postFields } from './oauth-requests.ts';

let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  server = await startServer({ seed });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

type Codes = Readonly<Record<'device_code' | 'user_code' | 'verification_uri_complete', string>>;

async function start(fields: Readonly<Record<string, string>> = { scope: 'openid roles' }): Promise<Codes> {
  const { status, json } = await postFields(server, '/oauth2/device_authorization', { client_id: 'tv', ...fields });
  expect({ status, json }).toEqual({
    status: 200,
    json: {
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: `${server.url}/oauth2/device`,
      verification_uri_complete: `${server.url}/oauth2/device?user_code=${String(json.user_code)}`,
      expires_in: 600,
      interval: 5,
    },
  });
  return json as Codes;
}

const poll = (code: string, more = {}) =>
  postFields(server, '/oauth2/token', { client_id: 'tv', grant_type: deviceGrant, device_code: code, ...more });

const errorOf = async (code: string) => (await poll(code)).json.error;

const typeCode = async (code: string, url = `${server.url}/oauth2/device`) =>
  browser.submit(await browser.get(url), '', { user_code: code });

const logIn = (page: Page) => browser.submit(page, 'password', { user_name: 'alice', password });

test('a user types the code, logs in and allows the device, which gets tokens once', async () => {
  const { device_code: code, user_code: typed } = await start();
  expect(await errorOf(code)).toBe('authorization_pending');
  const page = await logIn(await typeCode(` ${typed.toLowerCase().replace('-', '')} `));
  expect(page.text).toContain('Allow Living room?');
  expect(page.text).toContain(`<code>${typed}</code>`);
  const done = await browser.submit(page, 'consent', { decision: 'allow' });
  expect(done).toMatchObject({ status: 200, text: expect.stringContaining('You are logged in to Living room') });
  const { status, json } = await poll(code);
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { id_token: expect.any(String), refresh_token: expect.any(String), scope: 'openid roles READ' },
  });
  expect(await errorOf(code)).toBe('invalid_grant');
  expect(await typeCode(typed)).toMatchObject({ status: 400, text: expect.stringContaining('was used') });
});

test('the token of a device can be for one of its resources, and is for none that its client lost', async () => {
  const orders = 'https://orders.example';
  const setAudiences = (audiences: readonly string[]) =>
    send(server, '/_iam/clients/tv', { method: 'PATCH', body: { audiences } });
  const allow = async (fields: Readonly<Record<string, string>>) => {
    const { device_code: code, user_code: typed } = await start(fields);
    const page = await typeCode(typed);
    await browser.submit(page.text.includes('Allow') ? page : await logIn(page), 'consent', { decision: 'allow' });
    return code;
  };
  await setAudiences([orders]);
  const { json } = await poll(await allow({ scope: 'openid' }), { resource: orders });
  expect(decodeJwt(String(json.access_token)).aud).toBe(orders);
  const code = await allow({ scope: 'openid', resource: orders });
  await setAudiences([]);
  expect(await errorOf(code)).toBe('invalid_target');
});

test('the address with the code decides nothing, and a logged-in user still confirms', async () => {
  await logIn(await typeCode((await start()).user_code));
  const { device_code: code, user_code: typed, verification_uri_complete: url } = await start();
  const page = await browser.get(url);
  expect(page.text).toContain(`value="${typed}"`);
  const confirmation = await browser.submit(page, '', { user_code: typed });
  expect(confirmation.text).toContain('Allow Living room?');
  expect(await errorOf(code)).toBe('authorization_pending');
  expect(await browser.submit(confirmation, 'consent', { decision: 'deny' })).toMatchObject({
    ...{ status: 400, text: expect.stringContaining('The login was refused') },
  });
  expect(await errorOf(code)).toBe('access_denied');
});

test('a device has the level that the user had at the decision, not a second factor confirmed later', async () => {
  const { device_code: code, user_code: typed } = await start();
  await browser.submit(await logIn(await typeCode(typed)), 'consent', { decision: 'allow' });
  await server.appContext.store.transaction(async (tx) => {
    for (const session of await tx.sessions.find('userId', 'alice-id'))
      await tx.sessions.replace({
        ...session,
        level: 'AUTH-MFA',
        mfaAt: Math.floor(server.clock.now().getTime() / 1000),
      });
  });
  expect(decodeJwt(String((await poll(code)).json.id_token)).acr).toBe('AUTH-BASIC');
});

test('a device that polls too often must wait longer', async () => {
  const { device_code: code } = await start();
  const seen = [];
  for (const seconds of [0, 1, 6, 10, 16]) {
    server.clock.advance(seconds);
    seen.push(await errorOf(code));
  }
  expect(seen).toEqual(['authorization_pending', 'slow_down', 'slow_down', 'slow_down', 'slow_down']);
  server.clock.advance(30);
  expect(await errorOf(code)).toBe('authorization_pending');
});

test('the codes expire after ten minutes', async () => {
  const { device_code: code, user_code: typed } = await start();
  server.clock.advance(600);
  expect(await errorOf(code)).toBe('expired_token');
  expect(await typeCode(typed)).toMatchObject({ status: 400 });
});

test('a device code belongs to its client, and to a user who may log in', async () => {
  const { device_code: code, user_code: typed } = await start();
  const other = { grant_type: deviceGrant, device_code: code };
  expect((await postAs(server, 'web', '/oauth2/token', other)).json.error).toBe('invalid_grant');
  await browser.submit(await logIn(await typeCode(typed)), 'consent', { decision: 'allow' });
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get('alice-id');
    if (user) await tx.users.replace({ ...user, locked: true });
  });
  expect(await errorOf(code)).toBe('invalid_grant');
});

test('the session of the device outlives that of the browser', async () => {
  const { device_code: code, user_code: typed } = await start();
  await browser.submit(await logIn(await typeCode(typed)), 'consent', { decision: 'allow' });
  const { json } = await poll(code);
  await browser.submit(await browser.get(`${server.url}/oauth2/logout`), '');
  const authorization = `Bearer ${String(json.access_token)}`;
  expect((await fetch(`${server.url}/oauth2/userinfo`, { headers: { authorization } })).status).toBe(200);
});

test('wrong codes of a source are limited', async () => {
  await using remote = await startServer({ seed, flags: { 'trusted-proxies': '127.0.0.1' } });
  const headers = { 'x-forwarded-for': '203.0.113.7', 'content-type': 'application/x-www-form-urlencoded' };
  const page = await fetch(`${remote.url}/oauth2/device`, { headers });
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(await page.text()) ?? [];
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const guess = () =>
    fetch(`${remote.url}/oauth2/device`, {
      ...{ method: 'POST', headers: { ...headers, cookie } },
      body: `form_token=${token}&user_code=BBBB-BBBB`,
    });
  const statuses = [];
  for (let at = 0; at < 51; at += 1) statuses.push((await guess()).status);
  expect(statuses).toEqual([...Array<number>(50).fill(400), 429]);
});

test('a form without the cookie, as other sites send it, counts no wrong code', async () => {
  await using remote = await startServer({ seed, flags: { 'trusted-proxies': '127.0.0.1' } });
  const visitor = createBrowser({ 'x-forwarded-for': '203.0.113.7' });
  const forge = () => visitor.copy().post(`${remote.url}/oauth2/login?user_code=BBBB-BBBB`, 'step=cancel&form_token=x');
  for (let at = 0; at < 51; at += 1)
    expect(await forge()).toMatchObject({ status: 400, text: expect.stringContaining('This page has expired') });
  const page = await visitor.get(`${remote.url}/oauth2/device`);
  const { json } = await postFields(remote, '/oauth2/device_authorization', { client_id: 'tv' });
  expect(await visitor.submit(page, '', { user_code: String(json.user_code) })).toMatchObject({ status: 200 });
});

test.each<[string, string, Readonly<Record<string, string>>]>([
  [
    'a client without the grant',
    'unauthorized_client',
    { client_id: 'plain', client_secret: 'secret-of-the-web-client' },
  ],
  ['a client that does not authenticate', 'invalid_client', { client_id: 'web' }],
  ['a scope that the client lacks', 'invalid_scope', { client_id: 'tv', scope: 'WRITE' }],
  ['a foreign resource', 'invalid_target', { client_id: 'tv', resource: 'https://api.example.com' }],
])('gives no codes for %s', async (_, error, fields) => {
  expect((await postFields(server, '/oauth2/device_authorization', fields)).json.error).toBe(error);
});

test('a form of another browser is refused', async () => {
  const page = await createBrowser().get(`${server.url}/oauth2/device`);
  await browser.get(`${server.url}/oauth2/device`);
  const { user_code: typed } = await start();
  expect(await browser.submit(page, '', { user_code: typed })).toMatchObject({
    ...{ status: 400, text: expect.stringContaining('expired') },
  });
});

test('a device of a sandbox logs in at the sandbox', async () => {
  await send(server, '/_iam/sandboxes', { method: 'POST', body: { name: 'living', seed } });
  const { json } = await postFields(server, '/s/living/oauth2/device_authorization', { client_id: 'tv' });
  expect(json.verification_uri).toBe(`${server.url}/s/living/oauth2/device`);
  const page = await logIn(await typeCode(String(json.user_code), String(json.verification_uri)));
  expect(page.text).toContain('Allow Living room?');
});
