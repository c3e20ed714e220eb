/** Common rules of the two token endpoints: the grants of each client, and the bindings of a refresh token. */
import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { appClientId, type TestClient, type TestServer } from '../../harness.ts';
import {
  type ApiResponse,
  afterPasswordCheck,
  alice,
  basic,
  password,
  post,
  postForm,
  postJson,
  readClaims,
  startWith,
} from '../operations/user-identities/login-fixtures.ts';

interface GrantRequest {
  readonly grant: string;
  readonly client?: { clientId: string; clientSecret?: string };
  readonly headers?: Record<string, string>;
  readonly refresh?: string;
  readonly scope?: string[];
}

interface GrantResult {
  readonly status: number;
  readonly error: string | undefined;
  readonly access: string;
  readonly refresh: string;
  readonly scope: string[];
}

type Endpoint = (server: TestServer, request: GrantRequest) => Promise<GrantResult>;

const user = { userName: alice.userName, password };

/** Both endpoints with the same parameters, so that one test can use both. */
const endpoints: Record<string, Endpoint> = {
  'connect/token': async (server, { grant, client, headers = {}, refresh, scope }) => {
    const fields: Record<string, string> = { grant_type: grant };
    if (grant === 'password') Object.assign(fields, { username: user.userName, password });
    if (client) fields.client_id = client.clientId;
    if (client?.clientSecret) fields.client_secret = client.clientSecret;
    if (refresh) fields.refresh_token = refresh;
    if (scope) fields.scope = scope.join(' ');
    const response = await postForm(server, fields, headers);
    const json = response.json as Record<string, string>;
    return toResult(response, json.error, [json.access_token, json.refresh_token, json.scope?.split(' ')]);
  },
  'generate-token': async (server, { grant, client, headers = {}, refresh, scope }) => {
    const pair = grant === 'password' ? user : {};
    const body = { grantType: grant, ...client, ...pair, refreshToken: refresh, scope };
    const response = await postJson(server, '/generate-token', body, headers);
    const json = response.json as {
      accessToken?: string;
      refreshToken?: string;
      scope?: string[];
      0?: { code: string };
    };
    return toResult(response, json[0]?.code, [json.accessToken, json.refreshToken, json.scope]);
  },
};

type Parts = [access: string | undefined, refresh: string | undefined, scope: string[] | undefined];

function toResult(
  { status }: ApiResponse,
  error: string | undefined,
  [access = '', refresh = '', scope = []]: Parts,
): GrantResult {
  return { status, error, access, refresh, scope };
}

const everyGrant: TestClient = {
  clientId: 'service',
  scope: ['READ', 'WRITE'],
  grantTypes: ['client_credentials', 'password', 'refresh_token'],
};

describe.each(Object.entries(endpoints))('%s', (name, grantToken) => {
  const rejectedStatus = name === 'connect/token' ? 400 : 401;
  const tooMuch = name === 'connect/token' ? 'invalid_scope' : 'SCOPE_EXCEEDED';

  test('a token is not a client credential: it logs users in, but gets no new tokens for itself', async () => {
    await using server = await startWith();
    const client = await server.makeClient(everyGrant);
    const own = await grantToken(server, { grant: 'client_credentials', client });
    const headers = { authorization: `Bearer ${own.access}` };
    const login = await grantToken(server, { grant: 'password', headers });
    expect(login.status).toBeLessThan(300);
    const { refresh } = login;
    for (const request of [{ grant: 'client_credentials' }, { grant: 'refresh_token', refresh }])
      expect(await grantToken(server, { ...request, headers })).toMatchObject({ status: 401 });
    const renewal = await grantToken(server, { grant: 'refresh_token', refresh, client });
    expect(renewal.status).toBeLessThan(300);
  });

  test('a key is a client credential', async () => {
    await using server = await startWith();
    const { clientId } = await server.makeClient(everyGrant);
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId } });
    const headers = { 'x-api-key': apiKey };
    const login = await grantToken(server, { grant: 'password', headers });
    const responses = [
      login,
      await grantToken(server, { grant: 'client_credentials', headers }),
      await grantToken(server, { grant: 'refresh_token', refresh: login.refresh, headers }),
    ];
    for (const { status } of responses) expect(status).toBeLessThan(300);
  });

  test('a token of a user does not authenticate a client', async () => {
    await using server = await startWith();
    const { access } = await grantToken(server, { grant: 'password', client: { clientId: appClientId } });
    const headers = { authorization: `Bearer ${access}` };
    expect(await grantToken(server, { grant: 'password', headers })).toMatchObject({ status: 401 });
  });

  test('a client with a secret must present it, and a client without one must not', async () => {
    await using server = await startWith();
    const { clientId } = await server.makeClient(everyGrant);
    const grants = ['client_credentials', 'password', 'refresh_token'];
    for (const grant of grants)
      expect(await grantToken(server, { grant, client: { clientId }, refresh: 'x' }), grant).toMatchObject({
        status: 401,
      });
    const client = { clientId: appClientId, clientSecret: 'guessed' };
    expect(await grantToken(server, { grant: 'password', client })).toMatchObject({ status: 401 });
  });

  test('rejects a client whose owner is locked', async () => {
    await using server = await startWith();
    const client = await server.makeClient({ ...everyGrant, userId: alice.userId });
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    expect(await grantToken(server, { grant: 'client_credentials', client })).toMatchObject({ status: 401 });
  });

  test('a renewal keeps the scope of the login, may narrow it, and may not extend it', async () => {
    await using server = await startWith();
    const client = await server.makeClient({ ...everyGrant, scope: ['READ', 'WRITE', 'LIST'] });
    const login = await grantToken(server, { grant: 'password', client, scope: ['READ', 'WRITE'] });
    const more = { grant: 'refresh_token', client, refresh: login.refresh, scope: ['READ', 'LIST'] };
    expect(await grantToken(server, more)).toMatchObject({ error: tooMuch });
    const less = await grantToken(server, { ...more, scope: ['READ'] });
    expect(readClaims({ accessToken: less.access }).scope).toEqual(['READ']);
    expect(less.scope).toEqual(['READ']);
    const same = await grantToken(server, { grant: 'refresh_token', client, refresh: less.refresh });
    expect(same.scope).toEqual(['READ', 'WRITE']);
  });

  test('accepts a refresh token from its client only, and does not consume it for another one', async () => {
    await using server = await startWith();
    const client = await server.makeClient(everyGrant);
    const other = await server.makeClient({ ...everyGrant, clientId: 'other' });
    const { refresh } = await grantToken(server, { grant: 'password', client });
    const request = { grant: 'refresh_token', refresh };
    expect(await grantToken(server, { ...request, client: other })).toMatchObject({ status: rejectedStatus });
    expect((await grantToken(server, { ...request, client })).status).toBeLessThan(300);
  });

  test('a lock ends renewals immediately, also one in progress', async () => {
    await using server = await startWith();
    const lock = () => server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    const client = { clientId: appClientId };
    const { refresh } = await grantToken(server, { grant: 'password', client });
    await lock();
    expect(await grantToken(server, { grant: 'refresh_token', client, refresh })).toMatchObject({
      status: rejectedStatus,
    });
    await server.admin.userIdentities.unlock({ body: { userId: alice.userId } });
    expect(await grantToken(server, { grant: 'refresh_token', client, refresh })).toMatchObject({
      status: rejectedStatus,
    });
    afterPasswordCheck(server, lock);
    expect(await grantToken(server, { grant: 'password', client })).toMatchObject({ status: rejectedStatus });
  });
});

test('tries the raw credentials of a client before the form-encoded ones', async () => {
  await using server = await startWith();
  await server.makeClient(everyGrant);
  await server.appContext.store.transaction(async (tx) => {
    const client = await tx.clients.get('service');
    if (client) await tx.clients.replace({ ...client, secretHash: hashSecret('%41') });
  });
  const login = (secret: string) =>
    post(server, '/client-identities/login', { authorization: basic('service', secret) });
  const connect = (secret: string) =>
    postForm(server, { grant_type: 'client_credentials' }, { authorization: basic('service', secret) });
  expect([(await login('%41')).status, (await login('%2541')).status]).toEqual([200, 401]);
  expect([(await connect('%41')).status, (await connect('%2541')).status, (await connect('A')).status]).toEqual([
    200, 200, 401,
  ]);
  expect((await connect('%')).status).toBe(401);
});
