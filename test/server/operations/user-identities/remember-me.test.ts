import { describe, expect, test } from 'vitest';
import { alice, postJson, readClaims, readRoles, startWith } from './login-fixtures.ts';
import {
  createPhoneSession,
  identifiedPath,
  type RememberMeInput,
  rememberMe,
  toRememberMeInput,
} from './remember-me-fixtures.ts';
import { changeSession, createTokens, findSession, renew, type Tokens } from './session-fixtures.ts';

describe('logs in', () => {
  test('with a new refresh token in place of the old one, and a short access token', async () => {
    await using server = await startWith();
    const phone = await createPhoneSession(server);
    const response = await postJson(server, identifiedPath, toRememberMeInput(phone), { ip: '10.0.0.1' });
    expect(response).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      json: { tokenType: 'Bearer', expiresIn: '600', scope: ['READ', 'WRITE'] },
    });
    const token = response.json as Tokens;
    expect(token.refreshToken).not.toBe(phone.refreshToken);
    expect(readClaims(token)).toMatchObject({ sub: alice.userId, sid: readClaims(phone).sid });
    expect(await findSession(server, token)).toMatchObject({ remember: true });
    expect(await rememberMe(server, { ...toRememberMeInput(phone), refreshToken: token.refreshToken })).toBeDefined();
  });

  test.each([alice.userId, 'ALICE', 'aLiCe@Example.com', 'Alice.Smith'])('as %s', async (userName) => {
    await using server = await startWith();
    expect(
      await rememberMe(server, { ...toRememberMeInput(await createPhoneSession(server)), userName }),
    ).toBeDefined();
  });

  test('in a session without a device, which is then bound to this one', async () => {
    await using server = await startWith();
    const { userName, deviceTokenId } = await createPhoneSession(server);
    const other = await createTokens(server);
    const first = await rememberMe(server, { userName, deviceTokenId, refreshToken: other.refreshToken });
    const [phone] = await server.appContext.store.devices.list();
    expect(await findSession(server, other)).toMatchObject({ deviceKey: phone?.deviceKey });
    expect(await renew(server, first?.refreshToken)).toBeUndefined();
    expect(await rememberMe(server, { userName, deviceTokenId, refreshToken: first?.refreshToken })).toBeDefined();
  });

  test('with AUTH-BASIC at most: MFA must be repeated', async () => {
    await using server = await startWith();
    const phone = await createPhoneSession(server, { level: 'AUTH-MFA' });
    await changeSession(server, phone, { smart: true });
    const token = await rememberMe(server, toRememberMeInput(phone));
    expect(readRoles(token ?? phone)).toEqual([
      'AUTH-BASIC',
      'AUTH-IDENTIFIED',
      'CLI-1STPARTY',
      'CLI-AUTH-IDENTIFIED',
      'PERSON',
      'USER',
    ]);
    const identified = await createTokens(server, { level: 'AUTH-IDENTIFIED' });
    const renewed = await rememberMe(server, { ...toRememberMeInput(phone), refreshToken: identified.refreshToken });
    expect(readRoles(renewed ?? phone)).not.toContain('AUTH-BASIC');
  });

  test('with the scope of the session', async () => {
    await using server = await startWith();
    const token = await rememberMe(server, toRememberMeInput(await createPhoneSession(server, { scope: ['READ'] })));
    expect(readClaims(token ?? { accessToken: '' }).scope).toEqual(['READ']);
  });

  test('through a client of any party that authenticates with its secret, a key or a token', async () => {
    await using server = await startWith();
    const pair = await server.makeClient({ scope: ['READ'] });
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId: pair.clientId } });
    const { accessToken } = await server.as({ basic: pair }).clientIdentities.login();
    const { refreshToken: _first, ...phone } = await createPhoneSession(server);
    let { refreshToken } = await createTokens(server, { clientId: pair.clientId });
    for (const caller of [server.as({ basic: pair }), server.as({ apiKey }), server.as({ token: accessToken })]) {
      const token = await caller.userIdentities.rememberMe({ body: toRememberMeInput({ ...phone, refreshToken }) });
      refreshToken = token.refreshToken ?? '';
      expect(readClaims(token)).toMatchObject({ client_id: pair.clientId });
    }
  });
});

describe('reuse of a refresh token', () => {
  test('ends the session with its newest token', async () => {
    await using server = await startWith();
    const phone = await createPhoneSession(server);
    const chain = [phone.refreshToken];
    for (let turn = 0; turn < 4; turn += 1) {
      const next = await rememberMe(server, { ...toRememberMeInput(phone), refreshToken: chain.at(-1) ?? '' });
      chain.push(next?.refreshToken ?? '');
    }
    expect(new Set(chain).size).toBe(5);
    expect(await rememberMe(server, { ...toRememberMeInput(phone), refreshToken: chain[1] })).toBeUndefined();
    expect(await rememberMe(server, { ...toRememberMeInput(phone), refreshToken: chain[4] })).toBeUndefined();
    expect(await findSession(server, phone)).toBeUndefined();
  });

  test('ends the session with any device, and also through renew-token', async () => {
    await using server = await startWith();
    const attempts: ((phone: RememberMeInput) => Promise<unknown>)[] = [
      (phone) => rememberMe(server, { ...toRememberMeInput(phone), deviceTokenId: 'x' }),
      (phone) => rememberMe(server, { ...toRememberMeInput(phone), userName: 'unknown' }),
      (phone) => renew(server, phone.refreshToken),
    ];
    for (const attempt of attempts) {
      const phone = await createPhoneSession(server);
      const next = await rememberMe(server, toRememberMeInput(phone));
      await attempt(phone);
      expect(
        await rememberMe(server, { ...toRememberMeInput(phone), refreshToken: next?.refreshToken }),
      ).toBeUndefined();
    }
  });
});
