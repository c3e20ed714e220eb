/** What ends with the consent of a user, or with a change of the client. */
import { expect, test } from 'vitest';
import { startSession } from '../../../src/server/sessions/sessions.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { alice, password } from '../operations/user-identities/login-fixtures.ts';
import {
  authorizeUrl,
  callback,
  createRequest,
  deviceGrant,
  postAs,
  readAnswer,
  redeem,
  seed,
} from './applications.ts';
import { codeVerifier, createBrowser, type TestBrowser } from './browser.ts';
import { consentToPartner } from './consent-fixture.ts';
import { postFields } from './oauth-requests.ts';

const path = `/_iam/users/${alice.userId}`;

test('a revoked consent is deleted, and the sessions of the user at that client end', async () => {
  await using server = await startServer({ seed: { users: [alice] } });
  const { refresh_token: token } = await (await consentToPartner(server))();
  const before = await send(server, path);
  expect(before.body).toMatchObject({
    consents: [{ clientId: 'partner', clientName: 'partner', scopes: ['openid'], at: expect.any(String) }],
  });
  expect((await send(server, `${path}/consents/partner`, { method: 'DELETE' })).status).toBe(204);
  expect((await send(server, path)).body).toMatchObject({ consents: [] });
  const fields = { grant_type: 'refresh_token', refresh_token: String(token), client_id: 'partner' };
  expect((await postFields(server, '/oauth2/token', fields)).json).toMatchObject({ error: 'invalid_grant' });
  const again = await send(server, `${path}/consents/partner`, { method: 'DELETE' });
  expect(again).toMatchObject({ status: 404, body: [{ code: 'CLIENT_NOT_FOUND' }] });
});

test('a code that was issued before is worth nothing', async () => {
  await using server = await startServer({ seed: { users: [alice] } });
  const exchange = await consentToPartner(server);
  expect((await send(server, `${path}/consents/partner`, { method: 'DELETE' })).status).toBe(204);
  expect(await exchange()).toMatchObject({ error: 'invalid_grant' });
});

test('a code is worth nothing that a page issued while the consent was revoked', async () => {
  await using server = await startServer({ seed: { users: [alice] } });
  const exchange = await consentToPartner(server);
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get(alice.userId);
    if (user) await tx.users.replace({ ...user, consents: [] });
  });
  expect(await exchange()).toMatchObject({ error: 'invalid_grant' });
});

test('an application that a seed makes one of a third party gets what its users agree to, and nothing from before', async () => {
  await using server = await startServer({ seed });
  const browser = createBrowser();
  const page = await browser.get(authorizeUrl(server));
  const first = await browser.submit(page, 'password', { user_name: 'alice', password });
  const { json } = await redeem(server, readAnswer(first).code);
  const { code } = readAnswer(await browser.get(authorizeUrl(server)));
  const client = { clientId: 'web', party: '3RDPARTY', browserLogin: true };
  expect((await send(server, '/_iam/seed', { method: 'POST', body: { clients: [client] } })).status).toBe(200);
  const renewal = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) };
  expect((await postAs(server, 'web', '/oauth2/token', renewal)).json).toMatchObject({ error: 'invalid_grant' });
  expect((await redeem(server, code)).json).toMatchObject({ error: 'invalid_grant' });
  const agreed = await browser.submit(await browser.get(authorizeUrl(server)), 'consent', { decision: 'allow' });
  expect((await redeem(server, readAnswer(agreed).code)).json).toHaveProperty('access_token');
});

const me = '/security/iam/v1/user-identities/me';

test.each([
  ['its logins are switched off', 'PATCH', '/_iam/clients/web', { browserLogin: false }],
  ['it loses its grant type', 'PATCH', '/_iam/clients/web', { grantTypes: ['refresh_token'] }],
  ['it becomes third-party', 'POST', '/_iam/seed', { clients: [{ clientId: 'web', party: '3RDPARTY' }] }],
])(
  'a first-party client keeps no token of a login with a browser when %s, nor what the token started',
  async (...row) => {
    const [, method, route, body] = row;
    await using server = await startServer({ seed });
    const browser = createBrowser();
    const login = await browser.get(authorizeUrl(server));
    const page = await browser.submit(login, 'password', { user_name: 'alice', password });
    const { access_token: token } = (await redeem(server, readAnswer(page).code)).json;
    const caller = server.as({ token: String(token) });
    const moved = await caller.raw('POST', `${me}/change-app`, { query: { targetClientId: 'tv' }, body: {} });
    const callers = [caller, server.as({ token: (moved.body as { accessToken: string }).accessToken })];
    const renew = () => Promise.all(callers.map((one) => one.raw('POST', `${me}/renovate-token`)));
    expect(await renew()).toMatchObject([{ status: 201 }, { status: 201 }]);
    expect((await send(server, route, { method, body })).status).toBe(200);
    expect(await renew()).toMatchObject([{ status: 401 }, { status: 401 }]);
    // The session of the browser is for other applications, too.
    expect(readAnswer(await browser.get(authorizeUrl(server, { client_id: 'tv' })))).toHaveProperty('code');
  },
);

test('no login outlives the switch-off that its exchange runs beside', async () => {
  await using server = await startServer({ seed });
  const browser = createBrowser();
  const page = await browser.get(authorizeUrl(server));
  await browser.submit(page, 'password', { user_name: 'alice', password });
  const switchLogins = (isOn: boolean) =>
    send(server, '/_iam/clients/web', { method: 'PATCH', body: { browserLogin: isOn } });
  for (let round = 0; round < 10; round += 1) {
    expect((await switchLogins(true)).status).toBe(200);
    const { code } = readAnswer(await browser.get(authorizeUrl(server, { scope: 'openid offline_access' })));
    const [off, { json }] = await Promise.all([switchLogins(false), redeem(server, code)]);
    expect(off.status).toBe(200);
    const userinfo = await server.as({ token: String(json.access_token) }).raw('GET', '/oauth2/userinfo');
    expect(userinfo.status).toBe(401);
  }
});

test('nor does such an application renew what its users logged in to with the grant password', async () => {
  await using server = await startServer({ seed });
  const apply = (client: object) => send(server, '/_iam/seed', { method: 'POST', body: { clients: [client] } });
  expect(await apply({ clientId: 'plain', grantTypes: ['password', 'refresh_token'] })).toMatchObject({ status: 200 });
  const request = (grant_type: string, more: Record<string, string>) =>
    postAs(server, 'plain', '/oauth2/token', { grant_type, ...more });
  const { json } = await request('password', { username: alice.userName, password });
  const renew = (token: unknown) => request('refresh_token', { refresh_token: String(token) });
  const renewed = await renew(json.refresh_token);
  expect(renewed.json).toHaveProperty('access_token');
  expect(await apply({ clientId: 'plain', party: '3RDPARTY' })).toMatchObject({ status: 200 });
  expect((await renew(renewed.json.refresh_token)).json).toMatchObject({ error: 'invalid_grant' });
});

test.each([
  { browserLogin: false },
  { grantTypes: ['refresh_token', 'client_credentials'] },
  { grantTypes: ['authorization_code'] },
])('the client gets no new tokens when its logins are switched off: %j', async (changes) => {
  await using server = await startServer({ seed: { users: [alice] } });
  const { refresh_token: token } = await (await consentToPartner(server))();
  const update = (body: object) => send(server, '/_iam/clients/partner', { method: 'PATCH', body });
  const renewal = { grant_type: 'refresh_token', refresh_token: String(token), client_id: 'partner' };
  expect((await update(changes)).status).toBe(200);
  expect((await postFields(server, '/oauth2/token', renewal)).json).toHaveProperty('error');
  const renewToken = '/security/iam/v1/user-identities/renew-token?clientId=partner';
  expect((await send(server, renewToken, { method: 'POST', body: { refreshToken: token } })).status).toBe(401);
  // Its users log in again.
  await update({ browserLogin: true, grantTypes: ['authorization_code', 'refresh_token'] });
  expect((await postFields(server, '/oauth2/token', renewal)).json).toMatchObject({ error: 'invalid_grant' });
});

const updateClient = (server: TestServer, clientId: string, body: object) =>
  send(server, `/_iam/clients/${clientId}`, { method: 'PATCH', body });

async function logIn(server: TestServer): Promise<TestBrowser> {
  const browser = createBrowser();
  const page = await browser.get(authorizeUrl(server));
  await browser.submit(page, 'password', { user_name: 'alice', password });
  return browser;
}

/** The device code of a device that the user has allowed. */
async function allowDevice(server: TestServer, browser: TestBrowser): Promise<string> {
  const fields = { client_id: 'web', scope: 'openid' };
  const { json } = await postAs(server, 'web', '/oauth2/device_authorization', fields);
  const typed = await browser.get(String(json.verification_uri_complete));
  const page = await browser.submit(typed, '', { user_code: String(json.user_code) });
  await browser.submit(page, 'consent', { decision: 'allow' });
  return String(json.device_code);
}

const poll = (server: TestServer, code: string) =>
  postAs(server, 'web', '/oauth2/token', { grant_type: deviceGrant, device_code: code });

test('a new approval completes no login from before the logins of the client were switched off', async () => {
  await using server = await startServer({ seed });
  const browser = await logIn(server);
  const { json } = await postAs(server, 'web', '/oauth2/par', createRequest());
  const pushed = `${server.url}/oauth2/authorize?${new URLSearchParams({ client_id: 'web', request_uri: String(json.request_uri) })}`;
  const { code } = readAnswer(await browser.get(authorizeUrl(server)));
  const allowed = await allowDevice(server, browser);
  const pending = await postAs(server, 'web', '/oauth2/device_authorization', { scope: 'openid' });
  for (const browserLogin of [false, true])
    expect((await updateClient(server, 'web', { browserLogin })).status).toBe(200);
  expect((await redeem(server, code)).json).toMatchObject({ error: 'invalid_grant' });
  expect((await poll(server, allowed)).json).toMatchObject({ error: 'invalid_grant' });
  expect((await poll(server, String(pending.json.device_code))).json).toMatchObject({ error: 'invalid_grant' });
  const typed = await browser.get(String(pending.json.verification_uri_complete));
  expect((await browser.submit(typed, '', { user_code: String(pending.json.user_code) })).status).toBe(400);
  expect(await browser.get(pushed)).toMatchObject({
    status: 400,
    text: expect.stringContaining('was used, has expired'),
  });
  expect(await server.appContext.store.tickets.list()).toEqual([]);
});

test('a code is worth nothing at a redirect URI that the client has lost, and a used one is still noticed', async () => {
  await using server = await startServer({ seed });
  expect((await updateClient(server, 'web', { redirectURIs: [callback, `${callback}/old`] })).status).toBe(200);
  const browser = await logIn(server);
  const changes = { redirect_uri: `${callback}/old` };
  const issue = async () => readAnswer(await browser.get(authorizeUrl(server, changes))).code;
  const used = await issue();
  const { json } = await redeem(server, used, changes);
  const code = await issue();
  expect((await updateClient(server, 'web', { redirectURIs: [callback] })).status).toBe(200);
  expect((await redeem(server, code, changes)).json).toMatchObject({ error: 'invalid_grant' });
  const readUser = () => server.as({ token: String(json.access_token) }).raw('GET', '/oauth2/userinfo');
  expect((await readUser()).status).toBe(200);
  expect((await redeem(server, used, changes)).json).toMatchObject({ error: 'invalid_grant' });
  expect((await readUser()).status).toBe(401);
});

test('no code outlives the switch-off that its page runs beside, even if the client is approved again', async () => {
  await using server = await startServer({ seed });
  const browser = await logIn(server);
  for (let round = 0; round < 10; round += 1) {
    const [page] = await Promise.all([
      browser.get(authorizeUrl(server)),
      updateClient(server, 'web', { browserLogin: false }),
    ]);
    expect((await updateClient(server, 'web', { browserLogin: true })).status).toBe(200);
    const code = page.location === undefined ? undefined : readAnswer(page).code;
    expect((await redeem(server, code)).json).toMatchObject({ error: 'invalid_grant' });
  }
});

test.each([
  ['updated', 'PATCH', '/_iam/clients/web', { grantTypes: ['authorization_code', 'refresh_token'] }],
  [
    'seeded',
    'POST',
    '/_iam/seed',
    { clients: [{ clientId: 'web', grantTypes: ['authorization_code', 'refresh_token'] }] },
  ],
])('a client that is %s to log in no devices keeps only what was not one', async (...row) => {
  const [, method, route, body] = row;
  await using server = await startServer({ seed });
  const browser = await logIn(server);
  const ofDevice = (await poll(server, await allowDevice(server, browser))).json;
  const ofBrowser = (await redeem(server, readAnswer(await browser.get(authorizeUrl(server))).code)).json;
  expect((await send(server, route, { method, body })).status).toBe(200);
  const renew = async ({ refresh_token: token }: Readonly<Record<string, unknown>>) =>
    (await postAs(server, 'web', '/oauth2/token', { grant_type: 'refresh_token', refresh_token: String(token) })).json;
  expect(await renew(ofDevice)).toMatchObject({ error: 'invalid_grant' });
  expect(await renew(ofBrowser)).toHaveProperty('access_token');
});

test('a client that becomes third-party during a login gets no session of it', async () => {
  await using server = await startServer({ seed });
  const { store } = server.appContext;
  const client = await store.clients.get('plain');
  if (!client) throw new Error('unknown client');
  expect(
    await send(server, '/_iam/seed', { method: 'POST', body: { clients: [{ clientId: 'plain', party: '3RDPARTY' }] } }),
  ).toMatchObject({ status: 200 });
  const before = await server.dump();
  const start = { client, userId: alice.userId, level: 'AUTH-BASIC', remember: false, renewable: true } as const;
  await expect(store.transaction((tx) => startSession(tx, start, server.appContext))).rejects.toMatchObject({
    code: 'CREDENTIALS_INVALID',
  });
  expect(await server.dump()).toEqual(before);
});

const loginAtPartner = { client_id: 'partner', prompt: 'consent' };

/** What the partner got for a consent of the user to these scopes. */
async function consent(server: TestServer, browser: TestBrowser, scope: string) {
  const page = await browser.get(authorizeUrl(server, { ...loginAtPartner, scope }));
  const { code } = readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }));
  return (await redeem(server, code, { clientId: 'partner' })).json;
}

const renewAtPartner = async (server: TestServer, { refresh_token: token }: Readonly<Record<string, unknown>>) =>
  (await postAs(server, 'partner', '/oauth2/token', { grant_type: 'refresh_token', refresh_token: String(token) }))
    .json;

/** As when the user has agreed to a hundred others. */
async function evictConsents({ appContext: { store } }: TestServer): Promise<void> {
  await store.transaction(async (tx) => {
    const user = await tx.users.get(alice.userId);
    if (user) await tx.users.replace({ ...user, consents: [] });
  });
}

test('a smaller consent does not renew what a deleted one was given to', async () => {
  await using server = await startServer({ seed });
  const browser = await logIn(server);
  const first = await consent(server, browser, 'openid email offline_access');
  await evictConsents(server);
  const second = await consent(server, browser, 'openid');
  expect(await renewAtPartner(server, first)).toMatchObject({ error: 'invalid_grant' });
  expect(await renewAtPartner(server, second)).toMatchObject({ scope: 'openid' });
});

test('what a deleted consent was given to can be revoked', async () => {
  await using server = await startServer({ seed });
  const { access_token: token } = await consent(server, await logIn(server), 'openid offline_access');
  await evictConsents(server);
  expect((await send(server, `${path}/consents/partner`, { method: 'DELETE' })).status).toBe(204);
  expect((await server.as({ token: String(token) }).raw('GET', '/oauth2/userinfo')).status).toBe(401);
  expect((await send(server, `${path}/consents/partner`, { method: 'DELETE' })).status).toBe(404);
});

test('a new password ends the consents, which a thief of the old one may have given', async () => {
  await using server = await startServer({ seed });
  await consent(server, await logIn(server), 'openid');
  const changed = await send(server, `${path}/password`, { method: 'PUT', body: { newPassword: 'Brand-new-pass-77' } });
  expect(changed.status).toBe(204);
  expect((await send(server, path)).body).toMatchObject({ consents: [] });
});

test('a service with tokens of a user ends no login of the user at other clients', async () => {
  await using server = await startServer({ seed, flags: { 'sessions-per-user': '3' } });
  const browser = await logIn(server);
  const { json } = await redeem(server, readAnswer(await browser.get(authorizeUrl(server))).code);
  const ofTv = readAnswer(await browser.get(authorizeUrl(server, { client_id: 'tv' }))).code;
  const { json: other } = await postFields(server, '/oauth2/token', {
    ...{ grant_type: 'authorization_code', client_id: 'tv', code: ofTv ?? '' },
    ...{ redirect_uri: callback, code_verifier: codeVerifier },
  });
  const service = server.as({ token: String(other.access_token) });
  for (let times = 0; times < 5; times += 1)
    expect((await service.raw('POST', `${me}/change-app`, { query: { targetClientId: 'web' }, body: {} })).status).toBe(
      200,
    );
  expect((await server.as({ token: String(json.access_token) }).raw('GET', '/oauth2/userinfo')).status).toBe(200);
});

test('the session of a mainframe logon ends when its client becomes third-party', async () => {
  await using server = await startServer({ seed });
  const { store } = server.appContext;
  const client = await store.clients.get('plain');
  if (!client) throw new Error('unknown client');
  const start = { client, logon: 'LOGON1', level: 'AUTH-BASIC', remember: true, renewable: true } as const;
  const { refreshToken } = await store.transaction((tx) => startSession(tx, start, server.appContext));
  const body = { clients: [{ clientId: 'plain', party: '3RDPARTY' }] };
  expect((await send(server, '/_iam/seed', { method: 'POST', body })).status).toBe(200);
  expect(await store.sessions.find('clientId', 'plain')).toEqual([]);
  const renewal = { grant_type: 'refresh_token', refresh_token: String(refreshToken) };
  expect((await postAs(server, 'plain', '/oauth2/token', renewal)).json).toHaveProperty('error');
});
