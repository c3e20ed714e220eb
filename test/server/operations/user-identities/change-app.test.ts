import { describe, expect, test } from 'vitest';
import { appClientId, type TestClient, type TestServer } from '../../../harness.ts';
import { alice, passwordHash, post, postJson, readClaims, readRoles, startWith } from './login-fixtures.ts';
import { associate, changeSession, createTokens, days, findSession, hours, renew } from './session-fixtures.ts';

const path = '/user-identities/me/change-app';

const shop: TestClient = { clientId: 'shop', appId: 'shop-app', scope: ['READ', 'BUY'], businessId: 'b1' };
const options = { seed: { businesses: [{ businessId: 'b1', businessName: 'One' }] } };

async function startWithShop(flags: Record<string, string> = {}): Promise<TestServer> {
  const server = await startWith([{ userId: 'bob', userName: 'bob', passwordHash }], { ...options, flags });
  await server.makeClient(shop);
  return server;
}

function changeTo(server: TestServer, { accessToken }: { accessToken: string }, targetClientId = 'shop') {
  return server.as({ token: accessToken }).userIdentities.changeApp({ query: { targetClientId }, body: {} });
}

describe('issues a token', () => {
  test('of the same user, session and level, with the client, application and scope of the target', async () => {
    await using server = await startWithShop();
    const first = await createTokens(server, { level: 'AUTH-MFA', renewable: false });
    await changeSession(server, first, { smart: true });
    const token = await changeTo(server, first);
    expect(token).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: '3600',
      scope: ['READ', 'BUY'],
    });
    const { sub, sid } = readClaims(first);
    expect(readClaims(token)).toMatchObject({ sub, sid, client_id: 'shop', app_id: 'shop-app' });
    expect(readClaims(token)).not.toHaveProperty('business_id');
    expect(readRoles(token)).toEqual([...readRoles(first), 'AUTH-SMART'].sort());
    expect(await findSession(server, token)).toMatchObject({ clientId: 'shop', level: 'AUTH-MFA' });
  });

  test('whatever the device fields contain, and without a body', async () => {
    await using server = await startWithShop();
    const { accessToken } = await createTokens(server);
    const authorization = `Bearer ${accessToken}`;
    const target = `${path}?targetClientId=shop`;
    for (const body of [{}, { deviceId: 'phone', ip: '10.0.0.1' }, { ip: 'no address' }])
      expect(await postJson(server, target, body, { authorization })).toMatchObject({
        status: 200,
        headers: { 'cache-control': 'no-store' },
      });
    expect(await post(server, target, { authorization })).toMatchObject({ status: 200 });
  });

  test('for the client that it comes from', async () => {
    await using server = await startWithShop();
    const first = await createTokens(server);
    const token = await changeTo(server, first, appClientId);
    expect(readClaims(token)).toMatchObject({ client_id: appClientId });
    expect(await renew(server, token.refreshToken)).toBeDefined();
  });

  test('that ends with the session, and keeps the expiry of MFA', async () => {
    await using server = await startWithShop();
    let token: { accessToken: string; expiresIn?: string } = await createTokens(server, {
      level: 'AUTH-MFA',
      renewable: false,
    });
    for (let turn = 0; turn < 23; turn += 1) {
      server.clock.advance(hours / 2);
      token = await changeTo(server, token, turn % 2 === 0 ? 'shop' : appClientId);
    }
    expect(token.expiresIn).toBe(String(hours / 2));
    expect(readRoles(token)).toContain('AUTH-MFA');
    server.clock.advance(hours / 2);
    await expect(changeTo(server, token)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  });
});

describe('the refresh token', () => {
  test('of the session is replaced with one of the target', async () => {
    await using server = await startWithShop();
    const first = await createTokens(server);
    const token = await changeTo(server, first);
    expect(token.refreshToken).toMatch(/^[0-9a-f-]{36}$/);
    expect(token.refreshToken).not.toBe(first.refreshToken);
    expect(await renew(server, first.refreshToken)).toBeUndefined();
    expect(await renew(server, token.refreshToken)).toBeUndefined();
    const renewed = await renew(server, token.refreshToken, 'shop');
    expect(readClaims(renewed ?? first)).toMatchObject({ client_id: 'shop', scope: ['READ', 'BUY'] });
  });

  test('from before the change ends the session if the target uses it', async () => {
    await using server = await startWithShop();
    const first = await createTokens(server);
    const token = await changeTo(server, first);
    expect(await renew(server, first.refreshToken, 'shop')).toBeUndefined();
    expect(await renew(server, token.refreshToken, 'shop')).toBeUndefined();
    await expect(changeTo(server, token)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  });

  test('stays bound to its device', async () => {
    await using server = await startWithShop();
    const first = await createTokens(server);
    const deviceTokenId = await associate(server, first);
    const token = await changeTo(server, first);
    expect(await renew(server, token.refreshToken, 'shop')).toBeUndefined();
    const body = { userName: 'Alice', refreshToken: token.refreshToken, deviceTokenId };
    expect(await postJson(server, '/user-identities/remember-me?clientId=shop', body)).toMatchObject({ status: 201 });
  });

  test('is not revived by the change after 30 idle days', async () => {
    await using server = await startWithShop({ 'user-token-lifetime': String(days) });
    let token: { accessToken: string } = await createTokens(server);
    for (let hour = 0; hour < 30 * 24; hour += 20) {
      server.clock.advance(20 * hours);
      token = await server.as({ token: token.accessToken }).userIdentities.renovateToken();
    }
    expect(await changeTo(server, token)).not.toHaveProperty('refreshToken');
  });

  test('is one for 100 concurrent changes', async () => {
    await using server = await startWithShop();
    const first = await createTokens(server);
    const tokens = await Promise.all(Array.from({ length: 100 }, () => changeTo(server, first)));
    expect(new Set(tokens.map(({ refreshToken }) => refreshToken)).size).toBe(100);
    expect(await server.appContext.store.refreshTokens.list()).toHaveLength(1);
  });
});

test('access tokens of the former client stay valid without more scope', async () => {
  await using server = await startWithShop();
  const first = await createTokens(server);
  await changeTo(server, first);
  const fresh = await server.as({ token: first.accessToken }).userIdentities.renovateToken();
  expect(readClaims(fresh)).toMatchObject({ client_id: appClientId, scope: ['READ', 'WRITE'] });
});

describe('a narrowed token', () => {
  test('stays narrowed in both directions, without a refresh token, and leaves the session of the user as it is', async () => {
    await using server = await startWithShop();
    await server.makeClient({ clientId: 'nothing', scope: [] });
    const { accessToken, refreshToken } = await createTokens(server);
    const narrow = await server.as({ token: accessToken }).userIdentities.accessToken({ body: { scope: ['READ'] } });
    const atShop = await changeTo(server, narrow);
    expect(atShop.scope).toEqual(['READ']);
    expect(atShop.refreshToken).toBeUndefined();
    expect((await changeTo(server, atShop, appClientId)).scope).toEqual(['READ']);
    const unscoped = await changeTo(server, narrow, 'nothing');
    expect((await changeTo(server, unscoped, appClientId)).scope).toEqual([]);
    const renewed = await renew(server, refreshToken);
    expect(renewed && readClaims(renewed)).toMatchObject({ client_id: appClientId, scope: ['READ', 'WRITE'] });
  });

  test('is no whole one after its client has lost the rest', async () => {
    await using server = await startWithShop();
    const { accessToken, refreshToken } = await createTokens(server);
    const narrow = await server.as({ token: accessToken }).userIdentities.accessToken({ body: { scope: ['READ'] } });
    const fresh = await server.as({ token: narrow.accessToken }).userIdentities.renovateToken();
    await server.appContext.store.transaction(async (tx) => {
      const client = await tx.clients.get(appClientId);
      if (client) await tx.clients.replace({ ...client, scope: ['READ'] });
    });
    const again = await server.as({ token: fresh.accessToken }).userIdentities.renovateToken();
    for (const token of [narrow, fresh, again]) {
      const atShop = await changeTo(server, token);
      expect([atShop.scope, atShop.refreshToken]).toEqual([['READ'], undefined]);
    }
    expect(await renew(server, refreshToken)).toBeDefined();
  });

  test('includes the token of a session with a narrowed scope', async () => {
    await using server = await startWithShop();
    const token = await changeTo(server, await createTokens(server, { scope: ['WRITE'] }));
    expect(token.scope).toEqual([]);
  });
});

describe('rejects', () => {
  test('targets that are unknown, third-party or cannot authenticate', async () => {
    await using server = await startWithShop();
    await server.makeClient({ clientId: 'third-party', party: '3RDPARTY' });
    await server.makeClient({ clientId: 'bobs', userId: 'bob' });
    await server.makeClient({ clientId: 'orphan', businessId: 'removed' });
    await server.admin.userIdentities.lock({ body: { userId: 'bob' } });
    const token = await createTokens(server);
    const before = await server.dump();
    for (const [target, status, code] of [
      ['unknown', 404, 'CLIENT_NOT_FOUND'],
      ['bobs', 404, 'CLIENT_NOT_FOUND'],
      ['orphan', 404, 'CLIENT_NOT_FOUND'],
      ['third-party', 403, 'TARGET_NOT_ALLOWED'],
    ] as const)
      await expect(changeTo(server, token, target), target).rejects.toMatchObject({ status, code });
    expect(await server.dump()).toEqual(before);
  });
});

test('a lock also ends the session at the target', async () => {
  await using server = await startWithShop();
  const token = await changeTo(server, await createTokens(server));
  await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
  expect(await renew(server, token.refreshToken, 'shop')).toBeUndefined();
});
