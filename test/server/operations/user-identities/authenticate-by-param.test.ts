import { describe, expect, test } from 'vitest';
import { issueOneTimeToken } from '../../../../src/server/tokens/one-time-tokens.ts';
import { appClientId, type TestServer } from '../../../harness.ts';
import {
  type ApiResponse,
  alice,
  passwordHash,
  post,
  postJson,
  readClaims,
  readRoles,
  startWith,
} from './login-fixtures.ts';
import {
  associate,
  changeSession,
  createTokens,
  findSession,
  hours,
  minutes,
  sessionEndings,
  type Tokens,
} from './session-fixtures.ts';

const path = '/user-identities/auth-legacy-by-param';
const at = (clientId: string) => `${path}?clientId=${clientId}`;

async function paramOf(server: TestServer, token: { accessToken: string }, targetClientId?: string): Promise<string> {
  const { userIdentities } = server.as({ token: token.accessToken });
  return (await userIdentities.generateParam({ body: { targetClientId } })).param;
}

function redeem(server: TestServer, param: string, target = at('shop'), body: object = {}): Promise<ApiResponse> {
  return postJson(server, target, body, { param, ip: '10.0.0.1' });
}

async function startWithShop(): Promise<TestServer> {
  const server = await startWith([{ userId: 'bob', userName: 'bob', passwordHash }]);
  await server.makeClient({ clientId: 'shop', appId: 'shop-app', scope: ['READ', 'BUY'] });
  return server;
}

const rejected = { status: 401, json: [{ code: 'CREDENTIALS_INVALID' }] };
const tokenIn = (response: ApiResponse) => response.json as Tokens;

describe('issues a token of the user', () => {
  test('in a separate session with the requesting client, without a refresh token', async () => {
    await using server = await startWithShop();
    const source = await createTokens(server, { remember: true });
    const response = await redeem(server, await paramOf(server, source));
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(response.json).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: '3600',
      scope: ['READ', 'BUY'],
    });
    expect(readClaims(tokenIn(response))).toMatchObject({ sub: alice.userId, client_id: 'shop', app_id: 'shop-app' });
    expect(readClaims(tokenIn(response)).sid).not.toBe(readClaims(source).sid);
    expect(await findSession(server, tokenIn(response))).toMatchObject({ clientId: 'shop', remember: false });
    expect(await server.appContext.store.tickets.count()).toBe(0);
  });

  test('with the level of the originating session and the same expiry of MFA', async () => {
    await using server = await startWithShop();
    const source = await createTokens(server, { level: 'AUTH-MFA' });
    await changeSession(server, source, { smart: true });
    server.clock.advance(50 * minutes);
    const response = await redeem(server, await paramOf(server, source));
    expect(readRoles(tokenIn(response))).toEqual([...readRoles(source), 'AUTH-SMART'].sort());
    expect((await findSession(server, tokenIn(response)))?.mfaAt).toBe((await findSession(server, source))?.mfaAt);
    let { accessToken } = tokenIn(response);
    for (let turn = 0; turn < 12; turn += 1) {
      server.clock.advance(55 * minutes);
      ({ accessToken } = await server.as({ token: accessToken }).userIdentities.renovateToken());
    }
    expect(readRoles({ accessToken })).toContain('AUTH-MFA');
    server.clock.advance(20 * minutes);
    ({ accessToken } = await server.as({ token: accessToken }).userIdentities.renovateToken());
    expect(readRoles({ accessToken })).not.toContain('AUTH-MFA');
  });

  test('that ends no later than that session', async () => {
    await using server = await startWithShop();
    let source: { accessToken: string } = await createTokens(server, { renewable: false });
    for (let turn = 0; turn < 13; turn += 1) {
      server.clock.advance(55 * minutes);
      source = await server.as({ token: source.accessToken }).userIdentities.renovateToken();
    }
    const response = await redeem(server, await paramOf(server, source));
    expect(response.json).toMatchObject({ expiresIn: String(12 * hours - 13 * 55 * minutes) });
  });

  test('with at most the scope of a narrowed originating token', async () => {
    await using server = await startWithShop();
    const { accessToken } = await createTokens(server);
    const narrow = await server.as({ token: accessToken }).userIdentities.accessToken({ body: { scope: ['READ'] } });
    const response = await redeem(server, await paramOf(server, narrow));
    expect(response.json).toMatchObject({ scope: ['READ'] });
    const wide = await redeem(server, await paramOf(server, tokenIn(response)), at(appClientId));
    expect(wide.json).toMatchObject({ scope: ['READ'] });
  });

  test('to an authenticated client and to the client that was named', async () => {
    await using server = await startWithShop();
    const source = await createTokens(server);
    const caller = server.as({ basic: { clientId: 'shop', clientSecret: 'secret-of-shop' } }).userIdentities;
    for (const target of [undefined, 'shop']) {
      const param = await paramOf(server, source, target);
      const token = await caller.authenticateByParam({ headers: { param } });
      expect(readClaims(token)).toMatchObject({ client_id: 'shop' });
    }
  });

  test('bound to a device of the user; other device fields are ignored', async () => {
    await using server = await startWithShop();
    const source = await createTokens(server);
    const deviceTokenId = await associate(server, source);
    const [phone] = await server.appContext.store.devices.list();
    const bobs = await associate(server, await createTokens(server, { userId: 'bob' }));
    const bodies: [object, string | undefined][] = [
      [{ deviceTokenId, deviceId: 'else', deviceVersion: 'V1' }, phone?.deviceKey],
      [{ deviceTokenId: bobs }, undefined],
      [{ deviceTokenId: 'nothing' }, undefined],
      [{ deviceId: 'phone' }, undefined],
    ];
    for (const [body, deviceKey] of bodies) {
      const response = await redeem(server, await paramOf(server, source), at('shop'), body);
      expect(response.status).toBe(200);
      expect((await findSession(server, tokenIn(response)))?.deviceKey).toBe(deviceKey);
    }
  });

  test('without a body', async () => {
    await using server = await startWithShop();
    const param = await paramOf(server, await createTokens(server));
    expect(await post(server, at('shop'), { param })).toMatchObject({ status: 200 });
  });
});

describe('a value', () => {
  test('is redeemed once', async () => {
    await using server = await startWithShop();
    const param = await paramOf(server, await createTokens(server));
    expect(await redeem(server, param)).toMatchObject({ status: 200 });
    const before = await server.dump();
    expect(await redeem(server, param)).toMatchObject(rejected);
    expect(await server.dump()).toEqual(before);
  });

  test('is valid for 60 seconds', async () => {
    await using server = await startWithShop();
    const token = await createTokens(server);
    const [early, late] = [await paramOf(server, token), await paramOf(server, token)];
    server.clock.advance(59);
    expect(await redeem(server, early)).toMatchObject({ status: 200 });
    server.clock.advance(1);
    const before = await server.dump();
    expect(await redeem(server, late)).toMatchObject(rejected);
    expect(await server.dump()).toEqual(before);
  });

  test('is valid only for the client that was named, and another client does not consume it', async () => {
    await using server = await startWithShop();
    const param = await paramOf(server, await createTokens(server), 'shop');
    const before = await server.dump();
    expect(await redeem(server, param, at(appClientId))).toMatchObject(rejected);
    expect(await server.dump()).toEqual(before);
    expect(await redeem(server, param)).toMatchObject({ status: 200 });
  });

  test('of another kind is rejected', async () => {
    await using server = await startWithShop();
    const { accessToken, refreshToken } = await createTokens(server);
    const { value } = await server.appContext.store.transaction((tx) =>
      issueOneTimeToken(
        tx,
        { kind: 'auth-smart', userId: alice.userId, sessionId: readClaims({ accessToken }).sid },
        server.appContext,
      ),
    );
    const before = await server.dump();
    for (const param of ['x', refreshToken, value]) expect(await redeem(server, param)).toMatchObject(rejected);
    expect(await server.dump()).toEqual(before);
  });

  test.each(Object.entries(sessionEndings))('is rejected after %s, and no session starts', async (_what, end) => {
    await using server = await startWithShop();
    const token = await createTokens(server);
    // A session that expires does so within the minute.
    await changeSession(server, token, { endsAt: readClaims(token).iat + 30 });
    const param = await paramOf(server, token);
    await end(server, token);
    const before = await server.dump();
    expect(await redeem(server, param)).toMatchObject(rejected);
    expect(await server.dump()).toEqual(before);
  });

  test('starts no session that survives a lock', async () => {
    await using server = await startWithShop();
    const { accessToken } = tokenIn(await redeem(server, await paramOf(server, await createTokens(server))));
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    await expect(server.as({ token: accessToken }).userIdentities.renovateToken()).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  });
});
