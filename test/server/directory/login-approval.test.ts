/** Who decides that a client takes part in browser logins: with remote access, only administrators with maintenance rights. */
import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../src/client/index.ts';
import { loginGrantTypes } from '../../../src/contract/grant-types.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { authorizeUrl, callback, postAs, readAnswer, redeem } from '../oauth/applications.ts';
import { createBrowser } from '../oauth/browser.ts';
import { postFields } from '../oauth/oauth-requests.ts';
import { alice, password } from '../operations/user-identities/login-fixtures.ts';
import { asUser } from '../operations/user-token.ts';

const flags = { host: '0.0.0.0', 'allow-remote': true };
const startRemote = () => startServer({ flags });

const stolen = 'https://mallory.example.com/callback';
const [codeGrant, deviceGrant] = loginGrantTypes;

/** Without IAM_ADMIN_MAINTENANCE. */
const asAdministrator = (server: TestServer) =>
  server.withAuthorities(['AUTH-BASIC', 'AUTH-MFA', 'ADMIN'], { scope: ['READ', 'WRITE'] });

const rowOf = (server: TestServer, id: string) => server.appContext.store.clients.get(id);

/** The first page of a login, or the redirect to the application. */
const openLogin = (server: TestServer, id: string, uri = callback) =>
  createBrowser().get(authorizeUrl(server, { client_id: id, redirect_uri: uri }));

const loginPage = { status: 200, location: undefined, text: expect.stringContaining('to continue to') };

function refusalFor(id: string) {
  const remedy = `an administrator with IAM_ADMIN_MAINTENANCE approves it: iam clients update ${id} --browser-login`;
  return { status: 400, location: undefined, text: expect.stringContaining(remedy) };
}

const patch = (caller: IamClient, id: string, body: object) => caller.raw('PATCH', `/_iam/clients/${id}`, { body });

const accepted = { status: 200 };
const refused = { status: 403, body: [{ code: 'GRANT_EXCEEDED' }] };

describe('a first-party client that was created without IAM_ADMIN_MAINTENANCE', () => {
  const body = { appId: 'Shop', redirectURI: callback, grantTypes: [codeGrant, deviceGrant] };
  const create = async (caller: IamClient, more = {}) =>
    (await caller.clientIdentities.create({ body: { ...body, ...more } })) as {
      clientId: string;
      clientSecret: string;
    };

  test('shows a page that says how to approve it, does not redirect, and takes part once it is approved', async () => {
    await using server = await startRemote();
    const { clientId: id, clientSecret: secret } = await create(await asAdministrator(server));
    expect(await rowOf(server, id)).toMatchObject({ browserLogin: false });
    const page = await openLogin(server, id);
    expect(page).toMatchObject(refusalFor(id));
    for (const more of [{ prompt: 'none' }, { redirect_uri: stolen }, { response_type: 'x' }]) {
      const url = authorizeUrl(server, { client_id: id, redirect_uri: callback, ...more });
      expect(await createBrowser().get(url)).toMatchObject(refusalFor(id));
    }
    expect((await patch(server.admin, id, { browserLogin: true })).status).toBe(200);
    expect(await openLogin(server, id)).toMatchObject(loginPage);
    const fields = { client_id: id, client_secret: secret };
    expect(await postFields(server, '/oauth2/device_authorization', fields)).toMatchObject(accepted);
  });

  test('gets no codes from the other endpoints, and iam why says what is missing', async () => {
    await using server = await startRemote();
    const { clientId: id, clientSecret: secret } = await create(await asAdministrator(server));
    const fields = { client_id: id, client_secret: secret };
    const requests = [
      ['/oauth2/device_authorization', fields],
      ['/oauth2/par', { ...fields, response_type: 'code', redirect_uri: callback }],
      ['/oauth2/token', { ...fields, grant_type: codeGrant, code: 'x', redirect_uri: callback }],
      ['/oauth2/token', { ...fields, grant_type: deviceGrant, device_code: 'x' }],
    ] as const;
    const command = expect.stringContaining(`iam clients update ${id} --browser-login`);
    for (const [path, form] of requests) {
      const { status, json } = await postFields(server, path, form);
      expect({ path, status, json }).toEqual({
        ...{ path, status: 400 },
        json: { error: 'unauthorized_client', error_description: command },
      });
    }
    const requestId = (await openLogin(server, id)).headers.get('x-request-id');
    const why = await server.admin.raw('GET', `/_iam/requests/${requestId}/why`);
    expect(why.body).toMatchObject({ errors: [{ code: 'AUTHORIZATION_INVALID', message: command }] });
  });

  test('stays without an approval only if it has a login grant, and only on a server with remote access', async () => {
    await using server = await startRemote();
    const administrator = await asAdministrator(server);
    for (const grantTypes of [[codeGrant], [deviceGrant]])
      expect(await rowOf(server, (await create(administrator, { grantTypes })).clientId)).toMatchObject({
        browserLogin: false,
      });
    const other = await create(administrator, { grantTypes: ['client_credentials', 'password'] });
    expect(await rowOf(server, other.clientId)).not.toHaveProperty('browserLogin');
    const approved = await create(server.admin);
    expect(await rowOf(server, approved.clientId)).not.toHaveProperty('browserLogin');
    expect(await openLogin(server, approved.clientId)).toMatchObject(loginPage);

    await using local = await startServer();
    const { clientId } = await create(await asAdministrator(local));
    expect(await openLogin(local, clientId)).toMatchObject(loginPage);
  });
});

test('the page for a client without the grant type names the command that adds it', async () => {
  await using server = await startServer();
  await server.makeClient({ clientId: 'batch', redirectURI: callback });
  const command = `iam clients update batch --add-grant-type ${codeGrant}`;
  expect(await openLogin(server, 'batch')).toMatchObject({ status: 400, text: expect.stringContaining(command) });
});

test.each([
  ['that names another machine', '127.0.0.1', '203.0.113.7'],
  ['that is not trusted', '192.0.2.1', '127.0.0.1'],
])('callers behind a proxy %s approve no client without remote access', async (_name, trusted, address) => {
  await using server = await startServer({ flags: { 'trusted-proxies': trusted } });
  const headers = { 'X-Forwarded-For': address };
  const body = { appId: 'Bank', redirectURI: stolen, grantTypes: [codeGrant] };
  const administrator = await server.withAuthorities(['AUTH-BASIC', 'AUTH-MFA', 'ADMIN']);
  const own = await administrator.raw('POST', '/security/iam/v1/client-identities', { body, headers });
  expect(await rowOf(server, (own.body as { clientId: string }).clientId)).toMatchObject({ browserLogin: false });
  const user = await asUser(server, { userId: 'mallory' });
  const ofUser = await user.raw('POST', '/security/iam/v1/my-client-identities', { body, headers });
  expect(await rowOf(server, (ofUser.body as { clientId: string }).clientId)).not.toHaveProperty('browserLogin');
});

/** Values that the client did not have when its logins were approved. */
const gains = [
  { redirectURIs: [callback, stolen] },
  { redirectURIs: [stolen] },
  { grantTypes: [codeGrant, 'refresh_token', deviceGrant] },
  { appId: 'Bank' },
  { scope: ['READ', 'WRITE'] },
];

const application = {
  ...{ clientId: 'shop', appId: 'Shop', redirectURI: callback, scope: ['READ'] },
  grantTypes: [codeGrant, 'refresh_token'],
};

describe('an update of a first-party client that takes part in browser logins', () => {
  test('adds nothing that was not approved without IAM_ADMIN_MAINTENANCE, and the error says what to do', async () => {
    await using server = await startRemote();
    const administrator = await asAdministrator(server);
    await server.makeClient(application);
    const before = await server.dump();
    for (const body of gains) expect(await patch(administrator, 'shop', body)).toMatchObject(refused);
    const response = await patch(administrator, 'shop', { redirectURIs: [stolen], appId: 'Bank' });
    expect(response.body).toMatchObject([
      {
        message:
          'New values of appId, redirectURIs require IAM_ADMIN_MAINTENANCE, as users log in to the client with a browser. Otherwise, send browserLogin: false too: then users cannot log in until an administrator with IAM_ADMIN_MAINTENANCE and AUTH-MFA approves the client again.',
        details: { missingRoles: ['IAM_ADMIN_MAINTENANCE'] },
      },
    ]);
    expect(await server.dump()).toEqual(before);
    expect(await openLogin(server, 'shop')).toMatchObject(loginPage);
    for (const body of gains) expect(await patch(server.admin, 'shop', body)).toMatchObject(accepted);
  });

  test('repeats and removes values, and changes what no approval is about', async () => {
    await using server = await startRemote();
    const administrator = await asAdministrator(server);
    await server.makeClient({ ...application, otherRedirectURIs: ['https://app.example.com/other'] });
    for (const body of [
      { appId: 'Shop', scope: ['READ'], grantTypes: ['refresh_token', codeGrant] },
      { redirectURIs: ['https://app.example.com/other', callback, callback] },
      { organizationId: 'acme' },
      { redirectURIs: [callback], scope: [] },
      { grantTypes: [codeGrant] },
    ])
      expect(await patch(administrator, 'shop', body)).toMatchObject(accepted);
    expect(await openLogin(server, 'shop')).toMatchObject(loginPage);
    expect(await patch(administrator, 'shop', { redirectURIs: [] })).toMatchObject(accepted);
  });

  test.each(gains)('changes everything together with browserLogin: false, which ends its logins: %j', async (body) => {
    await using server = await startRemote();
    const administrator = await asAdministrator(server);
    await server.makeClient(application);
    expect(await patch(administrator, 'shop', { ...body, browserLogin: false })).toMatchObject(accepted);
    for (const uri of [callback, stolen])
      expect(await openLogin(server, 'shop', uri)).toMatchObject(refusalFor('shop'));
    for (const browserLogin of [true, null])
      expect(await patch(administrator, 'shop', { browserLogin })).toMatchObject(refused);
    expect(await patch(administrator, 'shop', { redirectURIs: [stolen] })).toMatchObject(accepted);
    expect(await patch(server.admin, 'shop', { browserLogin: true })).toMatchObject(accepted);
    expect(await openLogin(server, 'shop', stolen)).toMatchObject({ status: 200 });
  });

  test.each(loginGrantTypes)('does not turn another client into such a one: %s', async (grant) => {
    await using server = await startRemote();
    const administrator = await asAdministrator(server);
    await server.makeClient({ clientId: 'batch', redirectURI: stolen });
    expect(await patch(administrator, 'batch', { redirectURIs: [callback], appId: 'Nightly' })).toMatchObject(accepted);
    const before = await server.dump();
    expect(await patch(administrator, 'batch', { grantTypes: [grant] })).toMatchObject(refused);
    expect(await server.dump()).toEqual(before);
    expect(await patch(administrator, 'batch', { grantTypes: [grant], browserLogin: false })).toMatchObject(accepted);
  });
});

test('the owner of an approved third-party client keeps the approval only for what was approved', async () => {
  await using server = await startRemote();
  const owner = await asUser(server, { userId: 'mallory' });
  await server.makeClient({ ...application, party: '3RDPARTY', userId: 'mallory', browserLogin: true });
  const before = await server.dump();
  for (const body of gains) expect(await patch(owner, 'shop', body)).toMatchObject(refused);
  expect(await server.dump()).toEqual(before);
  expect(await patch(owner, 'shop', { appId: 'Shop', redirectURIs: [callback] })).toMatchObject(accepted);
  expect(await openLogin(server, 'shop')).toMatchObject(loginPage);
  expect(await patch(owner, 'shop', { appId: 'Bank', redirectURIs: [stolen], browserLogin: false })).toMatchObject(
    accepted,
  );
  expect(await openLogin(server, 'shop', stolen)).toMatchObject(refusalFor('shop'));
  expect(await patch(owner, 'shop', { browserLogin: true })).toMatchObject(refused);
});

test('a third-party client loses its approval with its last login grant', async () => {
  await using server = await startRemote();
  const owner = await asUser(server, { userId: 'mallory' });
  await server.makeClient({ ...application, party: '3RDPARTY', userId: 'mallory', browserLogin: true });
  expect(await patch(owner, 'shop', { grantTypes: ['refresh_token'] })).toMatchObject(accepted);
  expect(await patch(owner, 'shop', { appId: 'Bank', redirectURIs: [stolen] })).toMatchObject(accepted);
  expect(await patch(server.admin, 'shop', { grantTypes: [codeGrant] })).toMatchObject(accepted);
  expect(await openLogin(server, 'shop', stolen)).toMatchObject(refusalFor('shop'));
});

test('owners rotate the secrets of their third-party clients, approved or not', async () => {
  await using server = await startRemote();
  const owner = await asUser(server, { userId: 'alice' });
  for (const browserLogin of [true, false]) {
    const clientId = `shop-${browserLogin}`;
    await server.makeClient({ ...application, clientId, party: '3RDPARTY', userId: 'alice', browserLogin });
    expect(await owner.raw('POST', `/_iam/clients/${clientId}/rotate-secret`, { body: {} })).toMatchObject(accepted);
  }
});

test('a first-party client renews no tokens of its users from before its logins were switched off', async () => {
  const client = { ...application, clientSecret: 'secret-of-the-web-client', idTokenAlg: 'ES256' as const };
  await using server = await startServer({ seed: { users: [alice], clients: [client] } });
  const browser = createBrowser();
  const login = await browser.get(authorizeUrl(server, { client_id: 'shop' }));
  const done = await browser.submit(login, 'password', { user_name: alice.userName, password });
  const { refresh_token: token } = (await redeem(server, readAnswer(done).code, { clientId: 'shop' })).json;
  const renew = () =>
    postAs(server, 'shop', '/oauth2/token', { grant_type: 'refresh_token', refresh_token: String(token) });
  expect(await patch(server.admin, 'shop', { browserLogin: false })).toMatchObject(accepted);
  expect((await renew()).json).toMatchObject({ error: 'invalid_grant' });
  expect(await patch(server.admin, 'shop', { browserLogin: null })).toMatchObject(accepted);
  expect((await renew()).json).toMatchObject({ error: 'invalid_grant' });
});

test('the owner of a third-party client that was not approved changes it as before', async () => {
  await using server = await startRemote();
  const owner = await asUser(server, { userId: 'alice' });
  const body = { appId: 'Shop', redirectURI: callback, grantTypes: [codeGrant], scope: ['READ'] };
  const { clientId: id } = await owner.myClientIdentities.create({ body });
  for (const change of gains) expect(await patch(owner, id, change)).toMatchObject(accepted);
  expect(await openLogin(server, id)).toMatchObject(refusalFor(id));
});

describe('a secret or API key of a client that takes part in browser logins', () => {
  /** Each makes credentials of the client. */
  const requests: Readonly<Record<string, (caller: IamClient, id: string) => Promise<{ status: number }>>> = {
    'rotated secret': (caller, id) => caller.raw('POST', `/_iam/clients/${id}/rotate-secret`, { body: {} }),
    'new key': (caller, clientId) =>
      caller.raw('POST', '/security/iam/v1/api-key', { body: { appId: 'keys', clientId } }),
    'rotated key': (caller, id) => caller.raw('POST', `/_iam/api-keys/key-of-${id}/rotate`, { body: {} }),
    'moved key': (caller, clientId) =>
      caller.raw('PUT', '/security/iam/v1/api-key/spare', { body: { appId: 'keys', clientId } }),
  };

  test.each(Object.entries(requests))('requires IAM_ADMIN_MAINTENANCE: %s', async (_name, request) => {
    await using server = await startRemote();
    const administrator = await asAdministrator(server);
    const clients = {
      shop: application,
      tv: { ...application, grantTypes: [deviceGrant] },
      draft: { ...application, browserLogin: false },
      batch: { ...application, grantTypes: ['client_credentials'] },
      partner: { ...application, party: '3RDPARTY' as const, browserLogin: true },
    };
    const createdAt = server.clock.now().toISOString();
    for (const [clientId, client] of Object.entries(clients)) {
      await server.makeClient({ ...client, clientId });
      const key = { appId: 'keys', clientId, hint: 'hint', createdAt };
      await server.appContext.store.transaction((tx) =>
        tx.apiKeys.insert({ ...key, apiKeyId: `key-of-${clientId}`, keyHash: clientId }),
      );
    }
    await server.appContext.store.transaction((tx) =>
      tx.apiKeys.insert({
        appId: 'x',
        clientId: 'batch',
        hint: 'hint',
        createdAt,
        apiKeyId: 'spare',
        keyHash: 'spare',
      }),
    );
    const before = await server.dump();
    for (const id of ['shop', 'tv', 'partner']) expect(await request(administrator, id)).toMatchObject(refused);
    expect(await server.dump()).toEqual(before);
    for (const id of ['draft', 'batch']) expect((await request(administrator, id)).status).toBeLessThan(300);
    expect((await request(server.admin, 'shop')).status).toBeLessThan(300);
  });
});
