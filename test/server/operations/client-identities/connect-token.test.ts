import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '../../../../src/server/lib/secrets.ts';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import {
  type ApiResponse,
  alice,
  basic,
  password,
  post,
  postForm,
  readClaims,
  startWith,
} from '../user-identities/login-fixtures.ts';

const path = '/client-identities/connect/token';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const clientGrant = { grant_type: 'client_credentials' };
const userGrant = { grant_type: 'password', client_id: appClientId, username: alice.userName, password };

interface OAuthResponse {
  readonly access_token: string;
  readonly refresh_token?: string;
}

const tokenOf = (response: ApiResponse) => readClaims({ accessToken: (response.json as OAuthResponse).access_token });
const refreshOf = (response: ApiResponse) => (response.json as OAuthResponse).refresh_token ?? '';

/** Creates a client with this secret. */
async function clientWith(server: TestServer, clientId: string, secret: string) {
  const { store } = server.appContext;
  await server.makeClient({ clientId, scope: ['READ', 'WRITE'], grantTypes: ['client_credentials', 'refresh_token'] });
  await store.transaction(async (tx) => {
    const client = await tx.clients.get(clientId);
    if (client) await tx.clients.replace({ ...client, secretHash: hashSecret(secret) });
  });
}

describe('a client on its own behalf', () => {
  test('obtains a token without a refresh token', async () => {
    await using server = await startServer({ flags: { 'expires-in': 'epoch' } });
    await clientWith(server, 'service', 'secret');
    const response = await postForm(server, clientGrant, { authorization: basic('service', 'secret') });
    expect(response).toMatchObject({
      status: 200,
      headers: {
        'cache-control': 'no-store',
        pragma: 'no-cache',
        'content-type': expect.stringMatching(/^application\/json/),
      },
    });
    expect(response.json).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'READ WRITE',
    });
    expect(tokenOf(response)).toMatchObject({ sub: 'service', client_id: 'service', scope: ['READ', 'WRITE'] });
    expect(await server.appContext.store.sessions.count()).toBe(0);
  });

  const [id, secret] = ['svc@example.com', '100%25 of: ü & + /'];
  const encoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length);
  const pairs = { raw: basic(id, secret), 'form-encoded': basic(encoded(id), encoded(secret)) };
  test.each(Object.entries(pairs))('authenticates with %s Basic credentials', async (_form, authorization) => {
    await using server = await startServer();
    await clientWith(server, id, secret);
    expect(tokenOf(await postForm(server, clientGrant, { authorization }))).toMatchObject({ sub: id });
  });

  test('authenticates in the body or with an API key', async () => {
    await using server = await startServer();
    await clientWith(server, id, secret);
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId: id } });
    const variants = [
      postForm(server, { ...clientGrant, client_id: id, client_secret: secret }),
      postForm(server, { ...clientGrant, client_id: id }, { authorization: basic(id, secret) }),
      postForm(server, clientGrant, { 'x-api-key': apiKey }),
    ];
    for (const response of await Promise.all(variants)) expect(tokenOf(response)).toMatchObject({ sub: id });
  });

  test('obtains the part of its scope that it requests', async () => {
    await using server = await startServer();
    await clientWith(server, 'service', 'secret');
    const send = async (scope: string) =>
      (await postForm(server, { ...clientGrant, scope }, { authorization: basic('service', 'secret') })).json;
    expect(await send('WRITE')).toMatchObject({ scope: 'WRITE' });
    expect(await send(' READ  WRITE ')).toMatchObject({ scope: 'READ WRITE' });
    expect(await send(' ')).toMatchObject({ scope: 'READ WRITE' });
    expect(await send('READ ADMIN')).toMatchObject({ error: 'invalid_scope' });
  });
});

describe('a user', () => {
  test('logs in through an identified client without a secret, and refreshes its token', async () => {
    await using server = await startWith();
    const response = await postForm(server, { ...userGrant, scope: 'READ' });
    expect(response).toMatchObject({ status: 200, json: { expires_in: 3600, scope: 'READ' } });
    expect(tokenOf(response)).toMatchObject({ sub: alice.userId, client_id: appClientId });
    const renewed = await postForm(server, {
      grant_type: 'refresh_token',
      client_id: appClientId,
      refresh_token: refreshOf(response),
    });
    expect(renewed).toMatchObject({ status: 200, json: { scope: 'READ', refresh_token: expect.any(String) } });
    expect(tokenOf(renewed)).toMatchObject({ sub: alice.userId });
    expect(refreshOf(renewed)).not.toBe(refreshOf(response));
  });
});

test('ignores unknown and empty parameters', async () => {
  await using server = await startWith();
  const more = { client_secret: '', scope: '', audience: 'x', __proto__x: 'y', constructor: 'z' };
  expect(await postForm(server, { ...userGrant, ...more })).toMatchObject({ status: 200 });
  const query = await post(
    server,
    `${path}?client_id=unknown&grant_type=x`,
    form,
    new URLSearchParams(userGrant).toString(),
  );
  expect(query).toMatchObject({ status: 200 });
});

describe('errors in the format of RFC 6749', () => {
  async function startWithClients() {
    const server = await startWith();
    await clientWith(server, 'service', 'secret');
    await server.makeClient({ clientId: 'third-party', party: '3RDPARTY', grantTypes: ['password'] });
    return server;
  }
  const own = basic('service', 'secret');
  const cases: [string, Record<string, string>, string | undefined, number, string][] = [
    ['missing credentials', clientGrant, undefined, 401, 'invalid_client'],
    ['a wrong secret', clientGrant, basic('service', 'wrong'), 401, 'invalid_client'],
    [
      'a wrong secret in the body',
      { ...clientGrant, client_id: 'service', client_secret: 'x' },
      undefined,
      401,
      'invalid_client',
    ],
    ['an unknown client', clientGrant, basic('unknown', 'secret'), 401, 'invalid_client'],
    ['Basic without credentials', clientGrant, 'Basic !', 401, 'invalid_client'],
    ['an invalid token', clientGrant, 'Bearer none', 401, 'invalid_client'],
    ['a missing secret', { ...clientGrant, client_id: 'service' }, undefined, 401, 'invalid_client'],
    [
      'two authentication methods',
      { ...clientGrant, client_id: 'service', client_secret: 'secret' },
      own,
      400,
      'invalid_request',
    ],
    ['another client in the body', { ...clientGrant, client_id: appClientId }, own, 400, 'invalid_request'],
    ['a missing grant type', {}, own, 400, 'invalid_request'],
    ['an empty grant type', { grant_type: '' }, own, 400, 'invalid_request'],
    ['an unknown grant type', { grant_type: 'authorization_code' }, own, 400, 'unsupported_grant_type'],
    ['__proto__ as grant type', { grant_type: '__proto__' }, own, 400, 'unsupported_grant_type'],
    [
      'a grant type that the client is not registered for',
      { ...userGrant, client_id: 'service' },
      own,
      400,
      'unauthorized_client',
    ],
    [
      'a third-party client',
      { ...userGrant, client_id: 'third-party', client_secret: 'secret-of-third-party' },
      undefined,
      400,
      'unauthorized_client',
    ],
    [
      'a client that is only identified',
      { ...clientGrant, client_id: appClientId },
      undefined,
      400,
      'unauthorized_client',
    ],
    ['a scope that the client does not have', { ...clientGrant, scope: 'READ OWN' }, own, 400, 'invalid_scope'],
    ['a wrong password', { ...userGrant, password: 'wrong' }, undefined, 400, 'invalid_grant'],
    ['an empty password', { ...userGrant, password: '' }, undefined, 400, 'invalid_request'],
    ['a missing refresh token', { grant_type: 'refresh_token' }, own, 400, 'invalid_request'],
    ['an unknown refresh token', { grant_type: 'refresh_token', refresh_token: 'none' }, own, 400, 'invalid_grant'],
    ['a value that is too long', { ...userGrant, username: 'x'.repeat(1001) }, undefined, 400, 'invalid_request'],
  ];
  let server: TestServer;
  beforeAll(async () => {
    server = await startWithClients();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(cases)('are returned for %s', async (_what, fields, authorization, status, error) => {
    const before = await server.dump();
    const response = await postForm(server, fields, authorization === undefined ? {} : { authorization });
    expect(response).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
    expect(response.json).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
    });
    expect('www-authenticate' in response.headers).toBe(status === 401);
    expect(await server.dump()).toEqual(before);
  });

  test('have a Basic challenge after a failed client authentication', async () => {
    const response = await postForm(server, clientGrant, { authorization: basic('service', 'wrong') });
    expect(response.headers['www-authenticate']).toMatch(/^Basic realm=/);
  });

  test.each(['grant_type', 'client_id', 'scope', 'naïve"\\'])('are returned for a repeated %s', async (name) => {
    const fields = new URLSearchParams(userGrant);
    fields.append(name, 'READ');
    fields.append(name, 'READ');
    const response = await post(server, path, form, fields.toString());
    expect(response).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  });

  test('are returned for a body that is neither a form nor JSON', async () => {
    const text = await post(server, path, { 'content-type': 'text/plain' }, JSON.stringify(userGrant));
    expect(text).toMatchObject({ status: 415, json: { error: 'invalid_request' } });
    expect(await post(server, path)).toMatchObject({ status: 415 });
    expect(await post(server, path, form, 'grant_type=%ff%fe')).toMatchObject({ status: 400 });
    const long = await post(server, path, form, `grant_type=${'x'.repeat(1_000_001)}`);
    expect(long).toMatchObject({ status: 413, json: { error: 'invalid_request' } });
  });

  test('are returned with 429 after too many wrong passwords', async () => {
    for (let guess = 0; guess < 10; guess += 1)
      await postForm(server, { ...userGrant, username: 'guessed', password: 'wrong' });
    expect(await postForm(server, { ...userGrant, username: 'guessed' })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
      json: { error: 'temporarily_unavailable' },
    });
  });
});
