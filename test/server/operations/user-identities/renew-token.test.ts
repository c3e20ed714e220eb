import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { startSession } from '../../../../src/server/sessions/sessions.ts';
import { appClientId, type TestServer } from '../../../harness.ts';
import { alice, postJson, readClaims, readRoles, startWith } from './login-fixtures.ts';
import { associate, createTokens, findSession, renew, sessionEndings, type Tokens } from './session-fixtures.ts';

const path = '/user-identities/renew-token';
const named = `${path}?clientId=${appClientId}`;

/** Obtains tokens of a client on its own behalf, which requires its secret. */
async function ownTokens(server: TestServer, client: { clientId: string; clientSecret: string }): Promise<Tokens> {
  const { json } = await postJson(server, '/generate-token', { grantType: 'client_credentials', ...client });
  return json as Tokens;
}

describe('issues a new access token and a new refresh token', () => {
  test('in the same session with the same level and scope', async () => {
    await using server = await startWith();
    const first = await createTokens(server, { level: 'AUTH-MFA', scope: ['READ'] });
    const response = await postJson(server, named, { refreshToken: first.refreshToken });
    expect(response).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      json: { tokenType: 'Bearer', expiresIn: '3600', scope: ['READ'] },
    });
    const second = response.json as Tokens;
    expect(second.refreshToken).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(readClaims(second).sid).toBe(readClaims(first).sid);
    expect(readRoles(second)).toEqual(readRoles(first));
  });

  test('to a client that is identified, or authenticates with its secret, a key or a token', async () => {
    await using server = await startWith();
    const pair = await server.makeClient({ scope: ['READ'], grantTypes: ['client_credentials'] });
    const { clientId } = pair;
    const { accessToken } = await server.as({ basic: pair }).clientIdentities.login();
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId } });
    const query = { clientId };
    const variants: [IamClient, object][] = [
      [server.as(), { query }],
      [server.as({ basic: pair }), {}],
      [server.as({ basic: pair }), { query }],
      [server.as({ apiKey }), {}],
      [server.as({ token: accessToken }), {}],
    ];
    let { refreshToken } = await createTokens(server, { clientId });
    for (const [caller, input] of variants) {
      const token = await caller.userIdentities.renewToken({ ...input, body: { refreshToken } });
      refreshToken = token.refreshToken ?? '';
      expect(readClaims(token)).toMatchObject({ sub: alice.userId, client_id: clientId });
    }
  });

  test('to a client on its own behalf if it authenticates with its secret or a key', async () => {
    await using server = await startWith();
    const pair = await server.makeClient({ authorities: ['AUTH-BASIC'], scope: ['READ'] });
    const { clientId } = pair;
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId } });
    let { refreshToken, accessToken } = await ownTokens(server, pair);
    const before = await server.dump();
    for (const caller of [server.as(), server.as({ token: accessToken })])
      await expect(
        caller.userIdentities.renewToken({ query: { clientId }, body: { refreshToken } }),
      ).rejects.toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
    expect(await server.dump()).toEqual(before);
    for (const caller of [server.as({ basic: pair }), server.as({ apiKey })]) {
      const token = await caller.userIdentities.renewToken({ body: { refreshToken } });
      refreshToken = token.refreshToken ?? '';
      expect(readRoles(token)).toContain('CLI-AUTH-BASIC');
    }
  });

  test('to a third-party client on its own behalf', async () => {
    await using server = await startWith();
    const pair = await server.makeClient({ party: '3RDPARTY' });
    const { refreshToken } = await ownTokens(server, pair);
    const token = await server.as({ basic: pair }).userIdentities.renewToken({ body: { refreshToken } });
    expect(readRoles(token)).toContain('CLI-3RDPARTY');
  });

  test('to a mainframe logon that is not bound to a user', async () => {
    await using server = await startWith();
    const client = { clientId: appClientId, party: '1STPARTY' } as const;
    const start = { client, logon: 'LEGACY1', remember: false, renewable: true } as const;
    const { refreshToken } = await server.appContext.store.transaction((tx) =>
      startSession(tx, { ...start, level: 'AUTH-BASIC' }, server.appContext),
    );
    const token = await renew(server, refreshToken);
    expect(readClaims(token ?? { accessToken: '' })).toMatchObject({ sub: 'logon:LEGACY1', logon: 'LEGACY1' });
  });
});

test('rejects a refresh token that a public client obtained with a key if the client is only identified', async () => {
  await using server = await startWith();
  const grantTypes = ['client_credentials', 'refresh_token'];
  await server.appContext.store.transaction(async (tx) => {
    const client = await tx.clients.get(appClientId);
    if (client) await tx.clients.replace({ ...client, grantTypes });
  });
  const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId: appClientId } });
  const grant = await postJson(server, '/generate-token', { grantType: 'client_credentials' }, { 'x-api-key': apiKey });
  const { refreshToken } = grant.json as Tokens;
  const before = await server.dump();
  expect(await renew(server, refreshToken)).toBeUndefined();
  const byName = { grantType: 'refresh_token', clientId: appClientId, refreshToken };
  expect(await postJson(server, '/generate-token', byName)).toMatchObject({ status: 401 });
  expect(await server.dump()).toEqual(before);
});

describe('a refresh token', () => {
  test('is rejected from another client without an effect on its session', async () => {
    await using server = await startWith();
    const other = await server.makeClient();
    const first = await createTokens(server);
    const second = await renew(server, first.refreshToken);
    const before = await server.dump();
    for (const { refreshToken } of [first, second ?? first]) {
      expect(await renew(server, refreshToken, other.clientId)).toBeUndefined();
      const asOther = server.as({ basic: other }).userIdentities.renewToken({ body: { refreshToken } });
      await expect(asOther).rejects.toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
    }
    expect(await server.dump()).toEqual(before);
    expect(await renew(server, second?.refreshToken)).toBeDefined();
  });

  test('of a session that is bound to a device is rejected, here and at the token endpoints', async () => {
    await using server = await startWith();
    const token = await createTokens(server);
    await associate(server, token);
    const before = await server.dump();
    expect(await renew(server, token.refreshToken)).toBeUndefined();
    const { refreshToken } = token;
    const body = { grantType: 'refresh_token', clientId: appClientId, refreshToken };
    expect(await postJson(server, '/generate-token', body)).toMatchObject({ status: 401 });
    expect(await server.dump()).toEqual(before);
  });

  test('is rejected with the common error if it is invalid', async () => {
    await using server = await startWith();
    const { accessToken } = await createTokens(server);
    const before = await server.dump();
    for (const refreshToken of ['', 'x', accessToken, '00000000-0000-4000-8000-000000000000'])
      expect(await renew(server, refreshToken)).toBeUndefined();
    expect(await server.dump()).toEqual(before);
  });

  test.each(Object.entries(sessionEndings))('is rejected after %s', async (_what, end) => {
    await using server = await startWith();
    const first = await createTokens(server);
    const second = await renew(server, first.refreshToken);
    await end(server, second ?? first);
    expect(await renew(server, second?.refreshToken)).toBeUndefined();
  });

  test('is rejected without being consumed while its user is locked, however that happened', async () => {
    await using server = await startWith();
    const { refreshToken } = await createTokens(server);
    const setLocked = (locked: boolean) =>
      server.appContext.store.transaction(async (tx) => {
        const user = await tx.users.get(alice.userId);
        if (user) await tx.users.replace({ ...user, locked });
      });
    await setLocked(true);
    const before = await server.dump();
    expect(await renew(server, refreshToken)).toBeUndefined();
    expect(await server.dump()).toEqual(before);
    await setLocked(false);
    expect(await renew(server, refreshToken)).toBeDefined();
  });

  test('issues no token that survives a concurrent lock', async () => {
    await using server = await startWith();
    const first = await createTokens(server);
    const [second] = await Promise.all([
      renew(server, first.refreshToken),
      server.admin.userIdentities.lock({ body: { userId: alice.userId } }),
    ]);
    expect(await renew(server, second?.refreshToken ?? first.refreshToken)).toBeUndefined();
    expect(await findSession(server, first)).toBeUndefined();
  });
});
