/** Token revocation (RFC 7009): what it ends, for whom, and that nothing about other tokens is revealed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticateClient } from '../../../src/server/auth/authenticate.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { createMemorySink } from '../audit/memory-sink.ts';
import { alice, basic } from '../operations/user-identities/login-fixtures.ts';
import {
  apiKeyOf,
  canRenew,
  clientToken,
  credentials,
  isAccepted,
  issueLogonToken,
  postBody,
  postFields,
  revokePath,
  startOAuth,
  userTokens,
} from './oauth-requests.ts';

const revoke = (server: TestServer, token: string, authorization?: string, more: Record<string, string> = {}) =>
  postFields(server, revokePath, { token, ...more }, authorization);

describe('beyond the growth limit of the owner of a client', () => {
  const flags = { 'trusted-proxies': '127.0.0.0/8', 'growth-limit-owner': '3' };
  const from = { 'x-forwarded-for': '198.51.100.1' };
  const form = { ...from, 'content-type': 'application/x-www-form-urlencoded' };

  test.each([
    [
      'the client',
      (server: TestServer, token: string) =>
        postBody(server, revokePath, `token=${token}`, { ...form, authorization: credentials.partner }),
    ],
    [
      'the control plane',
      (server: TestServer, token: string) =>
        postBody(server, '/_iam/revoke', JSON.stringify({ token }), { ...from, 'content-type': 'application/json' }),
    ],
  ])('a revocation by %s stores no row, and revokes all tokens of the client', async (_, revokeFrom) => {
    await using server = await startOAuth({ flags: { ...flags, 'allow-remote': true } });
    const { store } = server.appContext;
    const [kept, other] = [await clientToken(server, 'partner'), await clientToken(server, 'web')];
    for (let revocation = 0; revocation < 10; revocation += 1) {
      const token = await clientToken(server, 'partner');
      expect(await isAccepted(server, token)).toBe(true);
      expect(await revokeFrom(server, token)).toMatchObject({ status: 200 });
      expect(await revokeFrom(server, token)).toMatchObject({ status: 200 });
      expect(await isAccepted(server, token)).toBe(false);
      expect(await isAccepted(server, kept)).toBe(revocation < 3);
    }
    expect(await store.revokedTokens.count()).toBe(3);
    expect([await isAccepted(server, await clientToken(server, 'partner')), await isAccepted(server, other)]).toEqual([
      true,
      true,
    ]);
  });

  test('a client of administrators, and one on this machine, revoke single tokens', async () => {
    await using server = await startOAuth({ flags });
    for (const client of ['web', 'partner'] as const) {
      const kept = await clientToken(server, client);
      const headers = { ...form, ...(client === 'partner' ? { 'x-forwarded-for': '127.0.0.1' } : {}) };
      for (let revocation = 0; revocation < 5; revocation += 1) {
        const token = await clientToken(server, client);
        await postBody(server, revokePath, `token=${token}`, { ...headers, authorization: credentials[client] });
        expect(await isAccepted(server, token)).toBe(false);
      }
      expect(await isAccepted(server, kept)).toBe(true);
    }
  });
});

describe('the revocation endpoint', () => {
  test('ends the session of an access token, and no other', async () => {
    await using server = await startOAuth();
    const [own, other] = [await userTokens(server, 'web'), await userTokens(server, 'web')];
    expect(await isAccepted(server, own.access_token)).toBe(true);
    const response = await revoke(server, own.access_token, credentials.web);
    expect(response).toMatchObject({ status: 200, json: {}, headers: { 'cache-control': 'no-store' } });
    expect(await isAccepted(server, own.access_token)).toBe(false);
    expect(await canRenew(server, own.refresh_token, 'web')).toBe(false);
    expect(await isAccepted(server, other.access_token)).toBe(true);
    expect(await canRenew(server, other.refresh_token, 'web')).toBe(true);
  });

  test.each(['refresh_token', 'access_token', 'no_such_type', ''])(
    'ends the session of a refresh token with the hint %j',
    async (token_type_hint) => {
      await using server = await startOAuth();
      const { access_token, refresh_token } = await userTokens(server, 'web');
      expect(await revoke(server, refresh_token, credentials.web, { token_type_hint })).toMatchObject({ status: 200 });
      expect(await isAccepted(server, access_token)).toBe(false);
      expect(await canRenew(server, refresh_token, 'web')).toBe(false);
    },
  );

  test('ends the session of a refresh token that was already rotated', async () => {
    await using server = await startOAuth();
    const { access_token, refresh_token } = await userTokens(server, 'web');
    expect(await canRenew(server, refresh_token, 'web')).toBe(true);
    await revoke(server, refresh_token, credentials.web);
    expect(await isAccepted(server, access_token)).toBe(false);
  });

  test('revokes a token of the client itself alone', async () => {
    await using server = await startOAuth();
    const [own, other] = [await clientToken(server, 'web'), await clientToken(server, 'web')];
    expect([await isAccepted(server, own), await isAccepted(server, other)]).toEqual([true, true]);
    expect(await revoke(server, own, credentials.web)).toMatchObject({ status: 200 });
    expect([await isAccepted(server, own), await isAccepted(server, other)]).toEqual([false, true]);
    expect(await revoke(server, own, credentials.web)).toMatchObject({ status: 200 });
  });

  test('accepts a client without a secret by its id', async () => {
    await using server = await startOAuth();
    const tokens = await userTokens(server, 'spa');
    expect(await revoke(server, tokens.refresh_token, undefined, { client_id: 'spa' })).toMatchObject({ status: 200 });
    expect(await isAccepted(server, tokens.access_token)).toBe(false);
  });

  test('accepts a secret in the body, an API key and a token of the client', async () => {
    await using server = await startOAuth();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = { client_id: 'web', client_secret: 'secret-of-the-web-client' };
    const [first, second, third] = [
      await clientToken(server, 'web'),
      await clientToken(server, 'web'),
      await clientToken(server, 'web'),
    ];
    expect(await postFields(server, revokePath, { ...body, token: first })).toMatchObject({ status: 200 });
    const headers = { ...form, 'x-api-key': await apiKeyOf(server, 'web') };
    expect(await postBody(server, revokePath, `token=${second}`, headers)).toMatchObject({ status: 200 });
    const bearer = await clientToken(server, 'web');
    expect(await revoke(server, third, `Bearer ${bearer}`)).toMatchObject({ status: 200 });
    expect(await revoke(server, bearer, `Bearer ${bearer}`)).toMatchObject({ status: 200 });
    for (const token of [first, second, third, bearer]) expect(await isAccepted(server, token)).toBe(false);
  });

  test('ignores tokens that are unknown, expired or of another client, with one response', async () => {
    await using server = await startOAuth();
    const foreign = await userTokens(server, 'api');
    const foreignClient = await clientToken(server, 'api');
    const ofPublic = await userTokens(server, 'spa');
    const expired = await clientToken(server, 'web');
    server.clock.advance(3500);
    const alive = await userTokens(server, 'api');
    server.clock.advance(101);
    const before = await server.dump();
    const tokens = [
      foreign.access_token,
      foreign.refresh_token,
      alive.access_token,
      alive.refresh_token,
      ofPublic.refresh_token,
      foreignClient,
      expired,
      `${expired}x`,
      'unknown',
      crypto.randomUUID(),
      '__proto__',
      'ü'.repeat(1000),
    ];
    const responses = [];
    for (const token of tokens) {
      const { status, json, headers } = await revoke(server, token, credentials.web);
      const { date: _date, 'x-request-id': _id, ...rest } = headers;
      responses.push(JSON.stringify({ status, json, rest }));
    }
    expect(new Set(responses).size).toBe(1);
    expect(responses[0]).toContain('"status":200,"json":{}');
    expect(await server.dump()).toEqual(before);
    expect(await isAccepted(server, alive.access_token)).toBe(true);
    expect(await canRenew(server, alive.refresh_token, 'api')).toBe(true);
  });

  test('revokes a token of a session that was transferred only for its new client', async () => {
    await using server = await startOAuth();
    const { refresh_token } = await userTokens(server, 'web');
    const { store } = server.appContext;
    await store.transaction(async (tx) => {
      const [session] = await tx.sessions.find('userId', alice.userId);
      if (session) await tx.sessions.replace({ ...session, clientId: 'api' });
    });
    await revoke(server, refresh_token, credentials.web);
    expect(await store.sessions.count()).toBe(1);
    await revoke(server, refresh_token, credentials.api);
    expect(await store.sessions.count()).toBe(0);
  });

  test('reports that an own API key cannot be revoked, and nothing about a key of another client', async () => {
    await using server = await startOAuth();
    const [own, foreign] = [await apiKeyOf(server, 'web'), await apiKeyOf(server, 'api')];
    expect(await revoke(server, own, credentials.web)).toMatchObject({
      status: 400,
      json: { error: 'unsupported_token_type', error_description: expect.any(String) },
    });
    expect(await revoke(server, foreign, credentials.web)).toMatchObject({ status: 200, json: {} });
    expect(await server.appContext.store.apiKeys.count()).toBe(2);
  });

  test('can revoke one token by concurrent requests', async () => {
    await using server = await startOAuth();
    const token = await clientToken(server, 'web');
    const responses = await Promise.all(Array.from({ length: 50 }, () => revoke(server, token, credentials.web)));
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await server.appContext.store.revokedTokens.count()).toBe(1);
  });

  test('answers 503 in the OAuth format if the store rejects writes, and the token stays valid', async () => {
    await using server = await startOAuth();
    const { access_token } = await userTokens(server, 'web');
    server.stopWrites();
    expect(await revoke(server, access_token, credentials.web)).toMatchObject({
      status: 503,
      json: { error: 'temporarily_unavailable' },
      headers: { 'retry-after': expect.any(String) },
    });
    expect(await isAccepted(server, access_token)).toBe(true);
  });
});

describe('a rejected revocation', () => {
  let server: TestServer;
  let token: string;
  let logonToken: string;
  beforeAll(async () => {
    server = await startOAuth();
    ({ access_token: token } = await userTokens(server, 'web'));
    logonToken = await issueLogonToken(server, 'web');
  });
  afterAll(() => server[Symbol.asyncDispose]());

  type Case = [string, () => Promise<{ status: number; json: unknown }>, number, string];
  const cases: Case[] = [
    ['without credentials', () => revoke(server, token), 401, 'invalid_client'],
    ['with a wrong secret', () => revoke(server, token, basic('web', 'wrong')), 401, 'invalid_client'],
    ['with an unknown client', () => revoke(server, token, basic('unknown', 'wrong')), 401, 'invalid_client'],
    ['without the secret', () => revoke(server, token, undefined, { client_id: 'web' }), 401, 'invalid_client'],
    ['with an unknown id', () => revoke(server, token, undefined, { client_id: 'unknown' }), 401, 'invalid_client'],
    [
      'with a token of a user as credential',
      () => revoke(server, token, `Bearer ${token}`, { client_id: 'web' }),
      401,
      'invalid_client',
    ],
    [
      'with a token of a logon as credential',
      () => revoke(server, token, `Bearer ${logonToken}`),
      401,
      'invalid_client',
    ],
    [
      'with two authentication methods',
      () => revoke(server, token, credentials.web, { client_id: 'web', client_secret: 'x' }),
      400,
      'invalid_request',
    ],
    ['as two clients', () => revoke(server, token, credentials.web, { client_id: 'api' }), 400, 'invalid_request'],
    ['without a token', () => postFields(server, revokePath, {}, credentials.web), 400, 'invalid_request'],
    ['with an empty token', () => revoke(server, '', credentials.web), 400, 'invalid_request'],
    [
      'with the token in the query',
      () => postFields(server, `${revokePath}?token=${token}`, {}, credentials.web),
      400,
      'invalid_request',
    ],
  ];
  test.each(cases)('%s has the format of OAuth and changes nothing', async (_what, send, status, error) => {
    const before = await server.dump();
    const response = await send();
    expect(response.status).toBe(status);
    expect(response.json).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
    });
    expect(await server.dump()).toEqual(before);
  });
});

test('too many wrong secrets from one source are 429', async () => {
  await using server = await startServer({ flags: { 'trusted-proxies': '127.0.0.1' } });
  const headers = {
    authorization: basic('unknown', 'wrong'),
    'content-type': 'application/x-www-form-urlencoded',
    'x-forwarded-for': '203.0.113.7',
  };
  const send = () => postBody(server, revokePath, 'token=x', headers);
  const source = { address: '203.0.113.7', network: '203.0.113.7', key: '203.0.113.7', isLoopback: false };
  const pair = { name: 'unknown', secret: 'wrong' };
  for (let at = 0; at < 999; at += 1) await authenticateClient(server.appContext, pair, source).catch(() => {});
  expect((await send()).status).toBe(401);
  expect(await send()).toMatchObject({
    status: 429,
    json: { error: 'temporarily_unavailable' },
    headers: { 'retry-after': expect.any(String) },
  });
});

test('logs, request log and audit name the client and never contain the token', async () => {
  const sink = createMemorySink();
  await using server = await startOAuth({ audit: sink });
  const { access_token, refresh_token } = await userTokens(server, 'web');
  await revoke(server, refresh_token, credentials.web);
  await revoke(server, access_token, basic('web', 'wrong'));
  const requests = await server.as().raw('GET', '/_iam/requests?operation=oauth2.revoke');
  expect(requests.body).toMatchObject([
    { operation: 'oauth2.revoke', status: 401 },
    { operation: 'oauth2.revoke', status: 200, caller: 'web' },
  ]);
  const revocations = sink.events().filter(({ operation }) => operation === 'oauth2.revoke');
  expect(revocations).toMatchObject([
    { event: 'authentication', result: 'granted', actor: { kind: 'client', clientId: 'web', authMethod: 'basic' } },
    { event: 'authentication', result: 'refused', code: 'CREDENTIALS_INVALID', subject: { clientId: 'web' } },
  ]);
  const text = [...server.log, sink.text(), JSON.stringify(requests.body), JSON.stringify(await server.dump())].join(
    '\n',
  );
  expect(text).not.toContain(refresh_token);
  expect(text).not.toContain(access_token.slice(-20));
});

test('inside a sandbox, revokes its tokens only', async () => {
  await using server = await startOAuth();
  const sandboxed = { ...server, url: `${server.url}/s/one` };
  const { access_token } = await userTokens(sandboxed, 'web');
  await revoke(server, access_token, credentials.web);
  const groups = `${sandboxed.url}/security/iam/v1/groups`;
  const status = async () => (await fetch(groups, { headers: { authorization: `Bearer ${access_token}` } })).status;
  expect(await status()).toBe(403);
  await revoke(sandboxed, access_token, credentials.web);
  expect(await status()).toBe(401);
});
