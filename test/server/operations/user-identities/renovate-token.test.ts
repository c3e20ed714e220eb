import { describe, expect, test } from 'vitest';
import { alice, post, readClaims, readRoles, startWith } from './login-fixtures.ts';
import { changeSession, createTokens, hours, minutes } from './session-fixtures.ts';

const path = '/user-identities/me/renovate-token';

test('issues a new access token in the same session, without a refresh token', async () => {
  await using server = await startWith();
  const first = await createTokens(server);
  server.clock.advance(59 * minutes);
  const fresh = await server.as({ token: first.accessToken }).userIdentities.renovateToken();
  expect(fresh).toEqual({
    accessToken: expect.any(String),
    tokenType: 'Bearer',
    expiresIn: '3600',
    scope: ['READ', 'WRITE'],
  });
  const { jti, iat, exp, ...same } = readClaims(first);
  expect(readClaims(fresh)).toMatchObject(same);
  expect(readClaims(fresh).jti).not.toBe(jti);
  expect(await server.appContext.store.refreshTokens.count()).toBe(1);
});

test('issues a token for ten minutes in a session with remember-me', async () => {
  await using server = await startWith();
  const { accessToken } = await createTokens(server, { remember: true });
  const fresh = await server.as({ token: accessToken }).userIdentities.renovateToken();
  expect(fresh).toMatchObject({ expiresIn: '600' });
});

test('does not extend the session, however often it is requested', async () => {
  await using server = await startWith();
  let { accessToken } = await createTokens(server, { renewable: false });
  const lifetimes: string[] = [];
  for (let turn = 0; turn < 14; turn += 1) {
    server.clock.advance(50 * minutes);
    const fresh = await server.as({ token: accessToken }).userIdentities.renovateToken();
    lifetimes.push(fresh.expiresIn);
    ({ accessToken } = fresh);
  }
  expect(lifetimes.at(-1)).toBe(String(20 * minutes));
  server.clock.advance(20 * minutes);
  await expect(server.as({ token: accessToken }).userIdentities.renovateToken()).rejects.toMatchObject({
    status: 401,
    code: 'TOKEN_INVALID',
  });
});

test('keeps the level, but MFA still expires after twelve hours', async () => {
  await using server = await startWith();
  const first = await createTokens(server, { level: 'AUTH-MFA' });
  await changeSession(server, first, { smart: true });
  let { accessToken } = first;
  for (let turn = 0; turn < 13; turn += 1) {
    server.clock.advance(55 * minutes);
    const fresh = await server.as({ token: accessToken }).userIdentities.renovateToken();
    expect(readRoles(fresh)).toEqual(expect.arrayContaining(['AUTH-MFA', 'AUTH-SMART']));
    ({ accessToken } = fresh);
  }
  server.clock.advance(12 * hours - 13 * 55 * minutes);
  const late = await server.as({ token: accessToken }).userIdentities.renovateToken();
  expect(readRoles(late)).not.toContain('AUTH-MFA');
  expect(readRoles(late)).toContain('AUTH-BASIC');
});

test('issues no wider scope than that of the current token', async () => {
  await using server = await startWith();
  const { accessToken } = await createTokens(server);
  const narrow = await server.as({ token: accessToken }).userIdentities.accessToken({ body: { scope: ['READ'] } });
  const fresh = await server.as({ token: narrow.accessToken }).userIdentities.renovateToken();
  expect(fresh.scope).toEqual(['READ']);
  expect(readClaims(fresh).scope).toEqual(['READ']);
});

test('ignores the body', async () => {
  await using server = await startWith();
  const { accessToken } = await createTokens(server);
  const authorization = `Bearer ${accessToken}`;
  const json = 'application/json';
  for (const [type, body] of [
    [json, '{}'],
    [json, '{'],
    [json, '{"scope":["ADMIN"]}'],
    ['text/plain', 'x'],
  ] as const)
    expect(await post(server, path, { authorization, 'content-type': type }, body)).toMatchObject({
      status: 201,
      json: { scope: ['READ', 'WRITE'] },
      headers: { 'cache-control': 'no-store' },
    });
});

describe('is rejected', () => {
  test('if a lock is concurrent with the request', async () => {
    await using server = await startWith();
    const { accessToken } = await createTokens(server);
    const { issuer } = server.appContext;
    const locked = async () => server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    Object.assign(server.appContext, {
      issuer: {
        ...issuer,
        issue: async (...parts: Parameters<typeof issuer.issue>) => {
          if (parts[0].kind === 'user') await locked();
          return issuer.issue(...parts);
        },
      },
    });
    const fresh = await server.as({ token: accessToken }).userIdentities.renovateToken();
    await expect(server.as({ token: fresh.accessToken }).userIdentities.renovateToken()).rejects.toMatchObject({
      code: 'TOKEN_INVALID',
    });
  });
});
