/** Token introspection (RFC 7662): who sees which token, and that every other answer is the same. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../harness.ts';
import { createMemorySink } from '../audit/memory-sink.ts';
import { alice, basic } from '../operations/user-identities/login-fixtures.ts';
import { userToken } from '../operations/user-token.ts';
import {
  apiKeyOf,
  type Confidential,
  canRenew,
  clientToken,
  credentials,
  introspectPath,
  issueLogonToken,
  type OAuthResponse,
  postBody,
  postFields,
  revokePath,
  startOAuth,
  userTokens,
} from './oauth-requests.ts';

const introspect = (server: TestServer, token: string, authorization?: string, more: Record<string, string> = {}) =>
  postFields(server, introspectPath, { token, ...more }, authorization);

async function stateFor(server: TestServer, token: string, client: Confidential): Promise<OAuthResponse['json']> {
  const { status, json } = await introspect(server, token, credentials[client]);
  expect(status).toBe(200);
  return json;
}

const inactive = { active: false };

describe('an active access token', () => {
  test('of a user has its claims, with scope as text', async () => {
    await using server = await startOAuth();
    const { access_token } = await userTokens(server, 'web', { scope: 'READ' });
    const response = await introspect(server, access_token, credentials.web);
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(response.json).toEqual({
      ...decodeJwt(access_token),
      active: true,
      username: alice.userName,
      token_type: 'Bearer',
      scope: 'READ',
      iss: server.url,
      aud: server.url,
      sub: alice.userId,
      user_id: alice.userId,
      client_id: 'web',
    });
  });

  test('of a client and of a logon has its subject', async () => {
    await using server = await startOAuth();
    const states = [
      await stateFor(server, await clientToken(server, 'web'), 'web'),
      await stateFor(server, await issueLogonToken(server, 'web'), 'web'),
    ];
    expect(states).toMatchObject([
      { active: true, sub: 'web', client_id: 'web', scope: 'READ WRITE' },
      { active: true, sub: 'logon:LOGON1', logon: 'LOGON1', client_id: 'web' },
    ]);
  });

  test('has only the authorities and the scope that are still granted', async () => {
    await using server = await startOAuth();
    const token = await userToken(server, { userId: 'u1', roles: ['ADMIN', 'REPORTS'] });
    expect((await stateFor(server, token, 'api')).authorities).toEqual(expect.arrayContaining(['ROLE_ADMIN']));
    const { store } = server.appContext;
    await store.transaction(async (tx) => {
      for (const group of await tx.groups.list())
        if (group.roles.includes('ADMIN')) await tx.groups.replace({ ...group, roles: ['REPORTS'] });
    });
    const { authorities } = await stateFor(server, token, 'api');
    expect(authorities).toContain('ROLE_REPORTS');
    expect(authorities).not.toContain('ROLE_ADMIN');
    const own = await clientToken(server, 'web');
    await store.transaction(async (tx) => {
      const web = await tx.clients.get('web');
      if (web) await tx.clients.replace({ ...web, scope: ['READ'] });
    });
    expect(await stateFor(server, own, 'web')).toMatchObject({ active: true, scope: 'READ' });
  });

  test('can be introspected with a secret in the body, an API key and a token of the client', async () => {
    await using server = await startOAuth();
    const token = await clientToken(server, 'web');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const inBody = { client_id: 'api', client_secret: 'secret-of-the-api-client' };
    const headers = { ...form, 'x-api-key': await apiKeyOf(server, 'api') };
    const responses = [
      await introspect(server, token, undefined, inBody),
      await postBody(server, introspectPath, `token=${token}`, headers),
      await introspect(server, token, `Bearer ${await clientToken(server, 'api')}`),
    ];
    for (const { json } of responses) expect(json).toMatchObject({ active: true, client_id: 'web' });
  });
});

describe('who sees which token', () => {
  test('a first-party client sees access tokens of all clients', async () => {
    await using server = await startOAuth();
    const tokens = [
      (await userTokens(server, 'web')).access_token,
      (await userTokens(server, 'spa')).access_token,
      await clientToken(server, 'partner'),
    ];
    for (const token of tokens) expect(await stateFor(server, token, 'api')).toMatchObject({ active: true });
  });

  test('a third-party client sees only access tokens that were issued to it', async () => {
    await using server = await startOAuth();
    const own = await clientToken(server, 'partner');
    expect(await stateFor(server, own, 'partner')).toMatchObject({ active: true, sub: 'partner' });
    const others = [await clientToken(server, 'web'), (await userTokens(server, 'web')).access_token];
    for (const token of others) expect(await stateFor(server, token, 'partner')).toEqual(inactive);
  });

  test('only the client of a refresh token sees it; looking at it does not use it', async () => {
    await using server = await startOAuth();
    const { refresh_token } = await userTokens(server, 'web', { scope: 'READ' });
    const days = 24 * 3600;
    const now = server.clock.now().getTime() / 1000;
    expect(await stateFor(server, refresh_token, 'web')).toEqual({
      active: true,
      client_id: 'web',
      username: alice.userName,
      sub: alice.userId,
      scope: 'READ',
      iss: server.url,
      iat: now,
      exp: now + 30 * days,
    });
    for (const client of ['api', 'partner'] as const)
      expect(await stateFor(server, refresh_token, client)).toEqual(inactive);
    expect(await canRenew(server, refresh_token, 'web')).toBe(true);
    expect(await stateFor(server, refresh_token, 'web')).toEqual(inactive);
  });
});

describe('a token is inactive', () => {
  const endings: [string, (server: TestServer, tokens: { access_token: string; refresh_token: string }) => unknown][] =
    [
      [
        'after its revocation',
        (server, tokens) => postFields(server, revokePath, { token: tokens.access_token }, credentials.web),
      ],
      ['while its user is locked', (server) => server.admin.userIdentities.lock({ body: { userId: alice.userId } })],
      ['after its user was removed', (server) => server.admin.userIdentities.remove({ params: { id: alice.userId } })],
      ['after its expiry', (server) => server.clock.advance(91 * 24 * 3600)],
    ];
  test.each(endings)('%s, with the next request', async (_what, end) => {
    await using server = await startOAuth();
    const tokens = await userTokens(server, 'web');
    const all = [tokens.access_token, tokens.refresh_token];
    for (const token of all) expect(await stateFor(server, token, 'web')).toMatchObject({ active: true });
    await end(server, tokens);
    for (const token of all) expect(await stateFor(server, token, 'web')).toEqual(inactive);
  });

  test('if it is unknown, changed, of another issuer or no token at all; all answers are the same', async () => {
    await using server = await startOAuth();
    await using other = await startOAuth();
    const token = await clientToken(server, 'web');
    const tokens = [
      `${token}x`,
      token.slice(0, -2),
      await clientToken(other, 'web'),
      (await userTokens(server, 'api')).refresh_token,
      await apiKeyOf(server, 'web'),
      'secret-of-the-web-client',
      crypto.randomUUID(),
      '__proto__',
      'a.b.c',
      'ü'.repeat(1000),
    ];
    const before = await server.dump();
    const responses = [];
    for (const unknown of tokens) {
      const { status, json, headers } = await introspect(server, unknown, credentials.web);
      const { date: _date, 'x-request-id': _id, ...rest } = headers;
      responses.push(JSON.stringify({ status, json, rest }));
    }
    expect(new Set(responses).size).toBe(1);
    expect(responses[0]).toContain('"json":{"active":false}');
    expect(await server.dump()).toEqual(before);
  });
});

describe('a rejected introspection', () => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startOAuth();
    ({ access_token: token } = await userTokens(server, 'web'));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  type Case = [string, () => Promise<OAuthResponse>, number, string];
  const cases: Case[] = [
    ['without credentials', () => introspect(server, token), 401, 'invalid_client'],
    ['with a wrong secret', () => introspect(server, token, basic('web', 'wrong')), 401, 'invalid_client'],
    ['with an unknown client', () => introspect(server, token, basic('unknown', 'x')), 401, 'invalid_client'],
    [
      'of a client without a secret',
      async () => introspect(server, (await userTokens(server, 'spa')).access_token, undefined, { client_id: 'spa' }),
      401,
      'invalid_client',
    ],
    ['with the token of a user', () => introspect(server, token, `Bearer ${token}`), 401, 'invalid_client'],
    [
      'with the token of a logon',
      async () => introspect(server, token, `Bearer ${await issueLogonToken(server, 'web')}`),
      401,
      'invalid_client',
    ],
    ['without a token', () => postFields(server, introspectPath, {}, credentials.web), 400, 'invalid_request'],
    [
      'with a wrong secret, before a missing token',
      () => postFields(server, introspectPath, {}, basic('web', 'x')),
      400,
      'invalid_request',
    ],
  ];
  test.each(cases)('%s has the format of OAuth', async (_what, send, status, error) => {
    const response = await send();
    expect(response.status).toBe(status);
    expect(response.json).toEqual({ error, error_description: expect.any(String) });
    expect('www-authenticate' in response.headers).toBe(status === 401);
  });
});

test('is recorded in the audit log and in the request log with its caller, without the token', async () => {
  const sink = createMemorySink();
  await using server = await startOAuth({ audit: sink });
  const { access_token } = await userTokens(server, 'web');
  await introspect(server, access_token, credentials.api);
  expect(sink.last()).toMatchObject({
    ...{ operation: 'oauth2.introspect', event: 'authentication', result: 'granted' },
    actor: { kind: 'client', clientId: 'api', authMethod: 'basic' },
  });
  const requests = await server.as().raw('GET', '/_iam/requests?operation=oauth2.introspect');
  expect(requests.body).toMatchObject([{ operation: 'oauth2.introspect', status: 200, caller: 'api' }]);
  expect([...server.log, sink.text()].join('\n')).not.toContain(access_token.slice(-20));
});
