import { describe, expect, test } from 'vitest';
import { appClientId, type TestServer } from '../../../harness.ts';
import {
  type ApiResponse,
  alice,
  basic,
  password,
  post,
  postJson,
  readClaims,
  readRoles,
  startWith,
} from '../user-identities/login-fixtures.ts';

const path = '/generate-token';
const userGrant = { grantType: 'password', userName: alice.userName, password };
const clientGrant = { grantType: 'client_credentials' };
const service = { clientId: 'service', clientSecret: 'secret-of-service' };
const inBasic = { authorization: basic(service.clientId, service.clientSecret) };

const tokenOf = (response: ApiResponse) => response.json as { accessToken: string; refreshToken: string };

async function startWithClients(): Promise<TestServer> {
  const server = await startWith();
  const grantTypes = ['client_credentials', 'refresh_token'];
  await server.makeClient({ clientId: 'service', authorities: ['AUTH-BASIC'], scope: ['READ', 'WRITE'], grantTypes });
  await server.makeClient({ clientId: 'third-party', party: '3RDPARTY', grantTypes: ['password'] });
  return server;
}

describe('a client on its own behalf', () => {
  test('obtains a token and a refresh token that renews both', async () => {
    await using server = await startWithClients();
    const response = await postJson(server, path, clientGrant, inBasic);
    expect(response).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
      json: { tokenType: 'Bearer', expiresIn: '3600', scope: ['READ', 'WRITE'] },
    });
    const first = tokenOf(response);
    expect(readClaims(first)).toMatchObject({ sub: 'service', sid: expect.any(String) });
    expect(readClaims(first)).not.toHaveProperty('user_id');
    const renewal = { grantType: 'refresh_token', refreshToken: first.refreshToken };
    const renewed = tokenOf(await postJson(server, path, renewal, inBasic));
    expect(readRoles(renewed)).toEqual(['AUTH-BASIC', 'CLI-1STPARTY', 'CLI-AUTH-BASIC', 'CLI-AUTH-IDENTIFIED']);
    expect(renewed.refreshToken).not.toBe(first.refreshToken);
  });

  test('authenticates with Basic, in the body or with an API key', async () => {
    await using server = await startWithClients();
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId: 'service' } });
    const variants = [
      postJson(server, path, { ...clientGrant, ...service }),
      postJson(server, `${path}?clientId=service`, { ...clientGrant, clientSecret: service.clientSecret }),
      postJson(server, `${path}?clientId=service`, clientGrant, inBasic),
      postJson(server, path, { ...clientGrant, clientId: 'service' }, inBasic),
      postJson(server, path, clientGrant, { 'x-api-key': apiKey }),
    ];
    for (const response of await Promise.all(variants)) expect(response).toMatchObject({ status: 201 });
  });

  test('obtains the part of its scope that it requests', async () => {
    await using server = await startWithClients();
    const response = await postJson(server, path, { ...clientGrant, scope: ['WRITE'] }, inBasic);
    expect(readClaims(tokenOf(response)).scope).toEqual(['WRITE']);
    const caller = server.as({ token: tokenOf(response).accessToken });
    await expect(caller.groups.list()).rejects.toMatchObject({ code: 'ROLE_MISSING' });
  });
});

describe('a user', () => {
  test('logs in through a client identified in the query or the body, and refreshes its tokens', async () => {
    await using server = await startWithClients();
    for (const [target, body] of [
      [`${path}?clientId=${appClientId}`, {}],
      [path, { clientId: appClientId }],
    ] as const) {
      const login = await postJson(server, target, { ...userGrant, ...body });
      expect(login).toMatchObject({ status: 201, json: { expiresIn: '3600', refreshToken: expect.any(String) } });
      const { refreshToken } = tokenOf(login);
      const renewed = await postJson(server, target, { grantType: 'refresh_token', refreshToken, ...body });
      expect(readClaims(tokenOf(renewed))).toMatchObject({ user_id: alice.userId, client_id: appClientId });
      expect(readClaims(tokenOf(renewed)).sid).toBe(readClaims(tokenOf(login)).sid);
    }
  });
});

describe('rejects', () => {
  const app = { clientId: appClientId };
  const cases: [string, string, object, Record<string, string>, number, string][] = [
    ['without a client', path, clientGrant, {}, 401, 'CREDENTIALS_MISSING'],
    ['with a wrong secret', path, { ...clientGrant, ...service, clientSecret: 'x' }, {}, 401, 'CREDENTIALS_INVALID'],
    ['of an unknown client', path, { ...clientGrant, ...service, clientId: 'x' }, {}, 401, 'CREDENTIALS_INVALID'],
    ['with a client that is only identified', `${path}?clientId=service`, clientGrant, {}, 401, 'CREDENTIALS_INVALID'],
    ['with a broken token', path, clientGrant, { authorization: 'Bearer x' }, 401, 'TOKEN_INVALID'],
    ['with a wrong password', path, { ...userGrant, ...app, password: 'x' }, {}, 401, 'CREDENTIALS_INVALID'],
    [
      'with an unknown refresh token',
      path,
      { grantType: 'refresh_token', refreshToken: 'x', ...app },
      {},
      401,
      'CREDENTIALS_INVALID',
    ],
    ['with a header and a secret', path, { ...clientGrant, ...service }, inBasic, 400, 'CREDENTIALS_AMBIGUOUS'],
    [
      'with another client id in the query',
      `${path}?clientId=test-app`,
      clientGrant,
      inBasic,
      400,
      'CREDENTIALS_AMBIGUOUS',
    ],
    [
      'with two client ids',
      `${path}?clientId=test-app`,
      { ...clientGrant, ...service },
      {},
      400,
      'CREDENTIALS_AMBIGUOUS',
    ],
    ['with another client id in the body', path, { ...clientGrant, ...app }, inBasic, 400, 'CREDENTIALS_AMBIGUOUS'],
    ['without a password', path, { ...app, grantType: 'password', userName: 'Alice' }, {}, 400, 'FIELD_MISSING'],
    ['without a refresh token', path, { grantType: 'refresh_token' }, inBasic, 400, 'FIELD_MISSING'],
    ['for a grant that the client is not registered for', path, userGrant, inBasic, 422, 'GRANT_TYPE_NOT_ALLOWED'],
    ['for a public client on its own behalf', path, { ...clientGrant, ...app }, {}, 422, 'GRANT_TYPE_NOT_ALLOWED'],
    [
      'for a third-party client',
      path,
      { ...userGrant, clientId: 'third-party', clientSecret: 'secret-of-third-party' },
      {},
      422,
      'GRANT_TYPE_NOT_ALLOWED',
    ],
    [
      'for a scope that the client does not have',
      path,
      { ...clientGrant, scope: ['READ', 'OWN'] },
      inBasic,
      422,
      'SCOPE_EXCEEDED',
    ],
  ];

  test('invalid requests with the error array and leaves the store unchanged', async () => {
    await using server = await startWithClients();
    const before = await server.dump();
    for (const [what, target, body, headers, status, code] of cases) {
      const response = await postJson(server, target, body, headers);
      expect(response, what).toMatchObject({ status, json: [{ code }], headers: { 'cache-control': 'no-store' } });
      expect('www-authenticate' in response.headers, what).toBe(status === 401);
    }
    expect(await server.dump()).toEqual(before);
  });

  test('a form body', async () => {
    await using server = await startWithClients();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await post(server, path, { ...inBasic, ...form }, 'grantType=client_credentials');
    expect(response).toMatchObject({ status: 415, json: [{ code: 'CONTENT_TYPE_UNSUPPORTED' }] });
  });

  test('a user name after ten wrong passwords, but not the client', async () => {
    await using server = await startWithClients();
    const app = { clientId: appClientId };
    for (let guess = 0; guess < 10; guess += 1)
      await postJson(server, path, { ...userGrant, ...app, password: `guess ${guess}` });
    const throttled = await postJson(server, path, { ...userGrant, ...app });
    expect(await postJson(server, path, { ...clientGrant, ...service })).toMatchObject({ status: 201 });
    expect(throttled).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
      json: [{ code: 'TOO_MANY_ATTEMPTS' }],
    });
  });
});
