/** Common rules of the two token endpoints: the grants of each client, and the bindings of a refresh token. */
import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/server/identity/secrets.ts';
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

interface Asked {
  readonly grant: string;
  readonly client?: { clientId: string; clientSecret?: string };
  readonly headers?: Record<string, string>;
  readonly refresh?: string;
  readonly scope?: string[];
}

interface Given {
  readonly status: number;
  readonly error: string | undefined;
  readonly access: string;
  readonly refresh: string;
  readonly scope: string[];
}

type Endpoint = (server: TestServer, asked: Asked) => Promise<Given>;

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
    const answer = await postForm(server, fields, headers);
    const json = answer.json as Record<string, string>;
    return given(answer, json.error, [json.access_token, json.refresh_token, json.scope?.split(' ')]);
  },
  'generate-token': async (server, { grant, client, headers = {}, refresh, scope }) => {
    const pair = grant === 'password' ? user : {};
    const body = { grantType: grant, ...client, ...pair, refreshToken: refresh, scope };
    const answer = await postJson(server, '/generate-token', body, headers);
    const json = answer.json as { accessToken?: string; refreshToken?: string; scope?: string[]; 0?: { code: string } };
    return given(answer, json[0]?.code, [json.accessToken, json.refreshToken, json.scope]);
  },
};

type Parts = [access: string | undefined, refresh: string | undefined, scope: string[] | undefined];

function given(
  { status }: ApiResponse,
  error: string | undefined,
  [access = '', refresh = '', scope = []]: Parts,
): Given {
  return { status, error, access, refresh, scope };
}

const everyGrant: TestClient = {
  clientId: 'service',
  scope: ['READ', 'WRITE'],
  grantTypes: ['client_credentials', 'password', 'refresh_token'],
};

describe.each(Object.entries(endpoints))('%s', (name, ask) => {
  const refused = name === 'connect/token' ? 400 : 401;
  const tooMuch = name === 'connect/token' ? 'invalid_scope' : 'SCOPE_EXCEEDED';

  test('a token is not a client credential: it logs users in, but gets no new tokens for itself', async () => {
    await using server = await startWith();
    const client = await server.makeClient(everyGrant);
    const own = await ask(server, { grant: 'client_credentials', client });
    const headers = { authorization: `Bearer ${own.access}` };
    const login = await ask(server, { grant: 'password', headers });
    expect(login.status).toBeLessThan(300);
    const { refresh } = login;
    for (const asked of [{ grant: 'client_credentials' }, { grant: 'refresh_token', refresh }])
      expect(await ask(server, { ...asked, headers })).toMatchObject({ status: 401 });
    const renewal = await ask(server, { grant: 'refresh_token', refresh, client });
    expect(renewal.status).toBeLessThan(300);
  });

  test('a key is a client credential', async () => {
    await using server = await startWith();
    const { clientId } = await server.makeClient(everyGrant);
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId } });
    const headers = { 'x-api-key': apiKey };
    const login = await ask(server, { grant: 'password', headers });
    const answers = [
      login,
      await ask(server, { grant: 'client_credentials', headers }),
      await ask(server, { grant: 'refresh_token', refresh: login.refresh, headers }),
    ];
    for (const { status } of answers) expect(status).toBeLessThan(300);
  });

  test('a token of a user does not authenticate a client', async () => {
    await using server = await startWith();
    const { access } = await ask(server, { grant: 'password', client: { clientId: appClientId } });
    const headers = { authorization: `Bearer ${access}` };
    expect(await ask(server, { grant: 'password', headers })).toMatchObject({ status: 401 });
  });

  test('a client with a secret must present it, and a client without one must not', async () => {
    await using server = await startWith();
    const { clientId } = await server.makeClient(everyGrant);
    const grants = ['client_credentials', 'password', 'refresh_token'];
    for (const grant of grants)
      expect(await ask(server, { grant, client: { clientId }, refresh: 'x' }), grant).toMatchObject({ status: 401 });
    const client = { clientId: appClientId, clientSecret: 'guessed' };
    expect(await ask(server, { grant: 'password', client })).toMatchObject({ status: 401 });
  });

  test('rejects a client whose owner is locked', async () => {
    await using server = await startWith();
    const client = await server.makeClient({ ...everyGrant, userId: alice.userId });
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    expect(await ask(server, { grant: 'client_credentials', client })).toMatchObject({ status: 401 });
  });

  test('a renewal keeps the scope of the login, may narrow it, and may not extend it', async () => {
    await using server = await startWith();
    const client = await server.makeClient({ ...everyGrant, scope: ['READ', 'WRITE', 'LIST'] });
    const login = await ask(server, { grant: 'password', client, scope: ['READ', 'WRITE'] });
    const more = { grant: 'refresh_token', client, refresh: login.refresh, scope: ['READ', 'LIST'] };
    expect(await ask(server, more)).toMatchObject({ error: tooMuch });
    const less = await ask(server, { ...more, scope: ['READ'] });
    expect(readClaims({ accessToken: less.access }).scope).toEqual(['READ']);
    expect(less.scope).toEqual(['READ']);
    const same = await ask(server, { grant: 'refresh_token', client, refresh: less.refresh });
    expect(same.scope).toEqual(['READ', 'WRITE']);
  });

  test('accepts a refresh token from its client only, and does not consume it for another one', async () => {
    await using server = await startWith();
    const client = await server.makeClient(everyGrant);
    const other = await server.makeClient({ ...everyGrant, clientId: 'other' });
    const { refresh } = await ask(server, { grant: 'password', client });
    const asked = { grant: 'refresh_token', refresh };
    expect(await ask(server, { ...asked, client: other })).toMatchObject({ status: refused });
    expect((await ask(server, { ...asked, client })).status).toBeLessThan(300);
  });

  test('a lock ends renewals immediately, also one in progress', async () => {
    await using server = await startWith();
    const lock = () => server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    const client = { clientId: appClientId };
    const { refresh } = await ask(server, { grant: 'password', client });
    await lock();
    expect(await ask(server, { grant: 'refresh_token', client, refresh })).toMatchObject({ status: refused });
    await server.admin.userIdentities.unlock({ body: { userId: alice.userId } });
    expect(await ask(server, { grant: 'refresh_token', client, refresh })).toMatchObject({ status: refused });
    afterPasswordCheck(server, lock);
    expect(await ask(server, { grant: 'password', client })).toMatchObject({ status: refused });
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
