import { describe, expect, test } from 'vitest';
import { computeLevel } from '../../../src/server/directory/authentication-levels.ts';
import type { Session } from '../../../src/server/store/tables.ts';
import { appClientId, type TestServer } from '../../harness.ts';
import { alice, logIn, postJson, readClaims, startWith } from '../operations/user-identities/login-fixtures.ts';

const minutes = 60;
const hours = 60 * minutes;
const days = 24 * hours;

type Tokens = { accessToken: string; refreshToken: string };

async function renew(server: TestServer, refreshToken: string | undefined): Promise<Tokens | undefined> {
  const body = { grantType: 'refresh_token', clientId: appClientId, refreshToken };
  const { status, json } = await postJson(server, '/generate-token', body);
  expect([201, 401]).toContain(status);
  return status === 201 ? (json as Tokens) : undefined;
}

const remembered = async (server: TestServer) => (await logIn(server, { remember: true })).refreshToken ?? '';

/** Whether a request with this token is accepted. */
async function isAccepted(server: TestServer, accessToken: string): Promise<boolean> {
  const reading = server.as({ token: accessToken }).userIdentities.get({ params: { id: alice.userId } });
  return reading.then(
    () => true,
    (error: { code?: string }) => {
      expect(error.code).toBe('TOKEN_INVALID');
      return false;
    },
  );
}

describe('a login', () => {
  test('lasts an hour, and issues no refresh token', async () => {
    await using server = await startWith();
    const token = await logIn(server);
    expect(token).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: '3600',
      scope: ['READ', 'WRITE'],
    });
    server.clock.advance(hours - 1);
    expect(await isAccepted(server, token.accessToken)).toBe(true);
    server.clock.advance(1);
    expect(await isAccepted(server, token.accessToken)).toBe(false);
  });

  test('with remember lasts ten minutes, and issues a refresh token', async () => {
    await using server = await startWith();
    const token = await logIn(server, { remember: true });
    expect(token.refreshToken).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(token.expiresIn).toBe('600');
    server.clock.advance(10 * minutes);
    expect(await isAccepted(server, token.accessToken)).toBe(false);
    expect(await renew(server, token.refreshToken)).toMatchObject({ expiresIn: '600' });
  });

  test('has a separate session, which the token names', async () => {
    await using server = await startWith();
    const [first, second] = [await logIn(server), await logIn(server)];
    expect(readClaims(first).sid).not.toBe(readClaims(second).sid);
    const session = await server.appContext.store.sessions.get(readClaims(first).sid ?? '');
    expect(session).toMatchObject({ userId: alice.userId, clientId: appClientId, level: 'AUTH-BASIC', smart: false });
  });

  test('deletes the ended sessions of its user', async () => {
    await using server = await startWith();
    await logIn(server);
    await remembered(server);
    server.clock.advance(90 * days);
    await logIn(server);
    expect(await server.appContext.store.sessions.count()).toBe(1);
    expect(await server.appContext.store.refreshTokens.count()).toBe(0);
  });
});

test('ended sessions of a client do not accumulate, however often it logs in', async () => {
  await using server = await startWith();
  const { store } = server.appContext;
  const client = await server.makeClient();
  const ask = () => postJson(server, '/generate-token', { grantType: 'client_credentials', ...client });
  for (let times = 0; times < 60; times += 1) await ask();
  expect(await store.sessions.count()).toBe(60);
  server.clock.advance(90 * days);
  for (let times = 0; times < 60; times += 1) await ask();
  expect(await store.sessions.count()).toBeLessThan(80);
  expect(await store.refreshTokens.count()).toBe(await store.sessions.count());
});

test('a session without a refresh token ends 12 hours after its login, with any lifetime of tokens', async () => {
  await using server = await startWith([], { flags: { 'user-token-lifetime': String(24 * hours) } });
  const { accessToken, expiresIn } = await logIn(server);
  expect(expiresIn).toBe(String(12 * hours));
  server.clock.advance(12 * hours - 1);
  expect(await isAccepted(server, accessToken)).toBe(true);
  server.clock.advance(1);
  expect(await isAccepted(server, accessToken)).toBe(false);
});

test('a second factor counts for twelve hours', () => {
  const session = { level: 'AUTH-MFA', mfaAt: 1000 } as Session;
  expect([computeLevel(session, 1000 + 12 * hours - 1), computeLevel(session, 1000 + 12 * hours)]).toEqual([
    'AUTH-MFA',
    'AUTH-BASIC',
  ]);
  expect(computeLevel({ level: 'AUTH-IDENTIFIED' } as Session, 1e10)).toBe('AUTH-IDENTIFIED');
});

describe('a refresh token', () => {
  test('ends its own family only', async () => {
    await using server = await startWith();
    const [one, other] = [await remembered(server), await remembered(server)];
    await renew(server, one);
    await renew(server, one);
    expect(await renew(server, other)).toBeDefined();
  });

  test('is not in the store or the log', async () => {
    await using server = await startWith();
    const first = await remembered(server);
    const second = (await renew(server, first))?.refreshToken ?? '';
    const stored = JSON.stringify(await server.dump()) + server.log.join('');
    for (const token of [first, second]) expect(stored).not.toContain(token);
  });
});
