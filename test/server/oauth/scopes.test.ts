/** The scopes and the resources of codes and of renewed tokens, and parameters without a value. */
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, callback, createRequest, postAs, readAnswer, redeem, seed } from './applications.ts';
import { codeVerifier, createBrowser } from './browser.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer({ seed });
});
afterEach(() => server[Symbol.asyncDispose]());

async function logIn(changes: Readonly<Record<string, string>>) {
  const browser = createBrowser();
  const page = await browser.get(authorizeUrl(server, changes));
  return readAnswer(await browser.submit(page, 'password', { user_name: 'alice', password }));
}

const exchange = (code = '', more = {}) =>
  postAs(server, 'web', '/oauth2/token', {
    ...{ grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: codeVerifier, ...more },
  });

const renew = (token: unknown, scope?: string) =>
  postAs(server, 'web', '/oauth2/token', { grant_type: 'refresh_token', refresh_token: String(token), scope });

test('a scope in the exchange of a code is ignored, as any other unknown parameter', async () => {
  const { code } = await logIn({ scope: 'openid READ' });
  const { status, json } = await exchange(code, { scope: 'openid WRITE' });
  expect([status, json.scope]).toEqual([200, 'openid READ']);
});

test('the exchange of a code can name a part of its resources, for this token', async () => {
  const [orders, stock] = ['https://orders.example', 'urn:stock'];
  await send(server, '/_iam/clients/web', { method: 'PATCH', body: { audiences: [orders, stock] } });
  const audienceOf = ({ json }: { readonly json: Readonly<Record<string, unknown>> }) =>
    decodeJwt(String(json.access_token)).aud;
  const ofAll = await exchange((await logIn({})).code, { resource: orders });
  expect(audienceOf(ofAll)).toBe(orders);
  expect(audienceOf(await renew(ofAll.json.refresh_token))).toEqual([server.url, orders, stock]);
  const { code } = await logIn({ resource: orders });
  expect((await exchange(code, { resource: stock })).json.error).toBe('invalid_target');
  expect(audienceOf(await exchange(code))).toBe(orders);
});

test('address, for which there is no claim, is ignored, and any other unknown scope refused', async () => {
  const { code } = await logIn({ scope: 'openid address' });
  expect((await exchange(code)).json.scope).toBe('openid READ');
  const page = await createBrowser().get(authorizeUrl(server, { scope: 'openid unknown' }));
  expect(readAnswer(page).error).toBe('invalid_scope');
});

test('a renewal can name the scopes of the login, and a part of them', async () => {
  const { code } = await logIn({ scope: 'openid profile READ' });
  const { json } = await exchange(code);
  const all = await renew(json.refresh_token, 'openid profile READ');
  expect(all.json).toMatchObject({ scope: 'openid profile READ', id_token: expect.any(String) });
  const fewer = await renew(all.json.refresh_token, 'openid');
  expect(fewer.json).toMatchObject({ scope: 'openid', id_token: expect.any(String) });
  const none = await renew(fewer.json.refresh_token, 'READ');
  expect(none.json.scope).toBe('READ');
  expect(none.json.id_token).toBeUndefined();
  for (const scope of ['openid email', 'READ WRITE'])
    expect((await renew(none.json.refresh_token, scope)).json.error).toBe('invalid_scope');
  expect((await renew(none.json.refresh_token)).json.scope).toBe('openid profile READ');
});

test('no operation renews a login of a client with a secret without it', async () => {
  const { json } = await exchange((await logIn({ scope: 'openid READ' })).code);
  const path = '/security/iam/v1/user-identities/renew-token?clientId=web';
  const body = { refreshToken: json.refresh_token };
  expect((await send(server, path, { method: 'POST', body })).status).toBe(401);
  const renewed = await renew(json.refresh_token);
  // Without it, a used token does not end the session either.
  expect((await send(server, path, { method: 'POST', body })).status).toBe(401);
  // Nor does a service that has an access token bind the session to a device, which the client does not have.
  const caller = server.as({ token: String(json.access_token) });
  const device = { body: { deviceId: 'd1' } };
  expect((await caller.raw('POST', '/security/iam/v1/user-identities/me/associate-user-device', device)).status).toBe(
    201,
  );
  // An access token, which services get, leads to no refresh token of a client without a secret.
  const moved = await server
    .as({ token: String(json.access_token) })
    .raw('POST', '/security/iam/v1/user-identities/me/change-app?targetClientId=tv', { body: {} });
  expect(moved.body).toMatchObject({ accessToken: expect.any(String), scope: ['openid', 'READ'] });
  expect(moved.body).not.toHaveProperty('refreshToken');
  expect((await renew(renewed.json.refresh_token)).status).toBe(200);
});

test('a token for fewer audiences leads to no others after its client has lost the rest', async () => {
  const [orders, stock] = ['https://orders.example', 'urn:stock'];
  const setAudiences = (clientId: string, audiences: readonly string[]) =>
    send(server, `/_iam/clients/${clientId}`, { method: 'PATCH', body: { audiences } });
  await setAudiences('web', [orders]);
  await setAudiences('tv', [stock]);
  const { json } = await exchange((await logIn({})).code, { resource: server.url });
  await setAudiences('web', []);
  const moved = await server
    .as({ token: String(json.access_token) })
    .raw('POST', '/security/iam/v1/user-identities/me/change-app?targetClientId=tv', { body: {} });
  expect(decodeJwt((moved.body as { accessToken: string }).accessToken).aud).toBe(server.url);
});

test('userinfo and introspection follow the scope of a renewed token', async () => {
  const { code } = await logIn({ scope: 'openid profile email READ' });
  const { json } = await exchange(code);
  const narrow = await renew(json.refresh_token, 'openid READ');
  const readUser = (token: unknown) => server.as({ token: String(token) }).raw('GET', '/oauth2/userinfo');
  const readScope = async (token: unknown) =>
    (await postAs(server, 'web', '/oauth2/introspect', { token: String(token) })).json.scope;
  expect((await readUser(narrow.json.access_token)).body).toEqual({ sub: 'alice-id' });
  expect((await readUser(json.access_token)).body).toMatchObject({ sub: 'alice-id', name: 'Alice' });
  expect(await readScope(narrow.json.access_token)).toBe('openid READ');
  expect(await readScope(narrow.json.refresh_token)).toBe('openid profile email READ');
  const none = await renew(narrow.json.refresh_token, 'READ');
  expect((await readUser(none.json.access_token)).status).toBe(403);
  // Nor does an operation that issues a token for the session return what the calling token lacks.
  const reissued = await server
    .as({ token: String(narrow.json.access_token) })
    .raw('POST', '/security/iam/v1/user-identities/me/access-token', { body: {} });
  expect(reissued.body).toMatchObject({ scope: ['openid', 'READ'] });
});

test('a third-party client learns the business of a user only with the scope roles', async () => {
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get('alice-id');
    if (user) await tx.users.replace({ ...user, businessId: 'acme' });
  });
  const browser = createBrowser();
  const readBusiness = async (scope: string) => {
    const shown = await browser.get(authorizeUrl(server, { client_id: 'partner', scope, prompt: 'consent' }));
    const page = shown.text.includes('Allow Partner?')
      ? shown
      : await browser.submit(shown, 'password', { user_name: 'alice', password });
    const { code } = readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }));
    const { json } = await redeem(server, code, { clientId: 'partner' });
    return decodeJwt(String(json.access_token)).business_id;
  };
  expect([await readBusiness('openid profile'), await readBusiness('openid roles')]).toEqual([undefined, 'acme']);
});

test('a redirect URI and a state without a value count as omitted', async () => {
  const { code, state } = await logIn({ redirect_uri: '', scope: 'READ', state: '' });
  expect(state).toBeUndefined();
  expect((await exchange(code, { redirect_uri: '' })).status).toBe(200);
});

test.each(['resource', 'request', 'request_uri', 'registration', 'prompt', 'max_age', 'id_token_hint'])(
  'a parameter without a value counts as omitted in queries and forms: %s',
  async (name) => {
    const changes = { [name]: '' };
    expect(await logIn(changes)).toHaveProperty('code');
    expect((await postAs(server, 'web', '/oauth2/par', createRequest(changes))).status).toBe(201);
  },
);

test('max_age can be longer than anyone is logged in', async () => {
  expect(await logIn({ max_age: '99999999999' })).toMatchObject({ code: expect.any(String) });
});
