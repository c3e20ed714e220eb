/** What sessions and refresh tokens may take: sessions of a user and a client, and uses of refresh tokens in a session. */
import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { deleteUsedTokens } from '../../../src/server/sessions/delete-used-tokens.ts';
import type { Session } from '../../../src/server/store/tables.ts';
import { rounds } from '../../effort.ts';
import { appClientId, type TestServer } from '../../harness.ts';
import { alice, logIn, postJson, readClaims, startWith } from '../operations/user-identities/login-fixtures.ts';
import { createTokens, findSession, renew } from '../operations/user-identities/session-fixtures.ts';
import { userToken } from '../operations/user-token.ts';

const redeemAt = `/user-identities/auth-legacy-by-param?clientId=${appClientId}`;

/** A session that is written to the store. */
const stored = { level: 'NONE', smart: false, remember: false, startedAt: 0, endsAt: 1e11 } as const;

const sessionIds = async (server: TestServer) =>
  (await server.appContext.store.sessions.list()).map(({ sessionId }) => sessionId).sort();

describe('one more session than sessions-per-user', () => {
  const limited = { flags: { 'sessions-per-user': '3' } };

  test('ends the oldest of the user with this client, and none of other users or clients', async () => {
    await using server = await startWith([], limited);
    await server.makeClient({ clientId: 'shop', serviceAccountId: 'shop-service' });
    const logInHere = async () => readClaims(await logIn(server)).sid ?? '';
    await userToken(server, { userId: 'bob' });
    const others = await sessionIds(server);
    const oldest = await logInHere();
    const kept: string[] = [];
    for (let times = 0; times < 3; times += 1) {
      server.clock.advance(1);
      kept.push(await logInHere());
    }
    expect(await sessionIds(server)).toEqual([...others, ...kept].sort());
    expect(kept).not.toContain(oldest);
  });

  test('of those that a token started ends the oldest of these only: a service ends no login of its user', async () => {
    await using server = await startWith([], limited);
    const login = await logIn(server);
    server.clock.advance(1);
    const derive = async (accessToken: string) => {
      const { param } = await server.as({ token: accessToken }).userIdentities.generateParam({ body: {} });
      const redeemed = await postJson(server, redeemAt, {}, { param });
      return (redeemed.json as { accessToken: string }).accessToken;
    };
    for (let times = 0; times < 6; times += 1) await derive(login.accessToken);
    const ids = await sessionIds(server);
    expect(ids).toContain(readClaims(login).sid);
    expect(ids).toHaveLength(1 + 3);
  });

  test('ends a chain of sessions with its oldest, also the new one, which nothing else would end with the first', async () => {
    await using server = await startWith([], limited);
    await server.makeClient({ clientId: 'shop', scope: [] });
    const start = async ({ accessToken }: { readonly accessToken: string }, clientId: string) => {
      server.clock.advance(1);
      const { param } = await server.as({ token: accessToken }).userIdentities.generateParam({ body: {} });
      const path = `/user-identities/auth-legacy-by-param?clientId=${clientId}`;
      return (await postJson(server, path, {}, { param })).json as { accessToken: string };
    };
    const login = await logIn(server);
    const oldest = await start(login, 'shop');
    const next = await start(oldest, appClientId);
    const others = [await start(login, 'shop'), await start(login, 'shop')];
    await start(next, 'shop');
    const ids = [login, ...others].map((token) => readClaims(token).sid);
    expect(await sessionIds(server)).toEqual(ids.sort());
  });

  test('also counts one that moves from another client', async () => {
    await using server = await startWith([], limited);
    await server.makeClient({ clientId: 'shop', serviceAccountId: 'shop-service' });
    const moved: string[] = [];
    for (let times = 0; times < 5; times += 1) {
      const { accessToken } = await logIn(server);
      moved.push(readClaims({ accessToken }).sid ?? '');
      await server.as({ token: accessToken }).userIdentities.changeApp({ query: { targetClientId: 'shop' }, body: {} });
      server.clock.advance(1);
    }
    expect(await sessionIds(server)).toEqual(moved.slice(2).sort());
  });

  test('counts no session that has ended by time', async () => {
    await using server = await startWith([], limited);
    const remembered = readClaims(await logIn(server, { remember: true })).sid ?? '';
    for (let day = 0; day < 6; day += 1) {
      server.clock.advance(24 * 3600);
      await logIn(server);
    }
    expect(await sessionIds(server)).toContain(remembered);
  });
});

test('without the setting, only a server with remote access limits the sessions of a user', async () => {
  const count = async (flags: Record<string, string | boolean>) => {
    await using server = await startWith([], { flags });
    await server.appContext.store.transaction(async (tx) => {
      for (let at = 0; at < 99; at += 1)
        await tx.sessions.insert({
          ...stored,
          clientId: appClientId,
          userId: alice.userId,
          sessionId: `earlier ${at}`,
        });
    });
    for (let times = 0; times < 2; times += 1) await logIn(server);
    return (await server.appContext.store.sessions.find('userId', alice.userId)).length;
  };
  expect([await count({}), await count({ 'allow-remote': true })]).toEqual([101, 100]);
});

test('a third-party client has at most 1,000 sessions of its own, and those of its users do not count', async () => {
  await using server = await startWith();
  const client = await server.makeClient({ party: '3RDPARTY' });
  const { store } = server.appContext;
  const session = { ...stored, clientId: client.clientId };
  await store.transaction(async (tx) => {
    for (let at = 0; at < 1000; at += 1)
      await tx.sessions.insert({ ...session, sessionId: `own ${at}`, startedAt: at });
    await tx.sessions.insert({ ...session, sessionId: 'of a user', userId: alice.userId });
  });
  await postJson(server, '/generate-token', { grantType: 'client_credentials', ...client });
  const ids = await sessionIds(server);
  expect(ids).toHaveLength(1001);
  expect(ids).not.toContain('own 0');
  expect(ids).toContain('own 1');
});

describe('used refresh tokens', () => {
  const usedCount = rounds(10_000);

  async function withUsedTokens(server: TestServer) {
    const tokens = await createTokens(server);
    const { sessionId } = (await findSession(server, tokens)) as Session;
    await server.appContext.store.transaction(async (tx) => {
      for (let at = 0; at < usedCount; at += 1)
        await tx.usedRefreshTokens.insert({ tokenHash: hashSecret(`used ${at}`), sessionId, usedAt: at });
    });
    return tokens;
  }

  test('end the session by a further use, however many followed', async () => {
    await using server = await startWith();
    const tokens = await withUsedTokens(server);
    expect(await renew(server, 'used 0')).toBeUndefined();
    expect(await findSession(server, tokens)).toBeUndefined();
  });

  test('are left when the session ends, as there may be many', async () => {
    await using server = await startWith();
    const tokens = await withUsedTokens(server);
    const { store } = server.appContext;
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    expect(await findSession(server, tokens)).toBeUndefined();
    expect(await store.usedRefreshTokens.count()).toBe(usedCount);
  });

  test('are deleted after their session, those of other sessions stay', async () => {
    await using server = await startWith();
    const { store, random } = server.appContext;
    await withUsedTokens(server);
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    await server.admin.userIdentities.unlock({ body: { userId: alice.userId } });
    const { refreshToken } = await createTokens(server);
    await renew(server, refreshToken);
    while ((await store.usedRefreshTokens.count()) > 1) await deleteUsedTokens(store, random);
    expect(await store.usedRefreshTokens.get(hashSecret(refreshToken))).toBeDefined();
  });

  test('are at most 20,000 in a session: one more use ends it', async () => {
    await using server = await startWith();
    const { store } = server.appContext;
    const first = await createTokens(server);
    const setRotations = (rotations: number) =>
      store.transaction(async (tx) => {
        for (const row of await tx.refreshTokens.list()) await tx.refreshTokens.replace({ ...row, rotations });
      });
    await setRotations(19_999);
    const last = await renew(server, first.refreshToken);
    expect(last).toBeDefined();
    expect(await renew(server, last?.refreshToken)).toBeUndefined();
    expect(await findSession(server, first)).toBeUndefined();
  });
});
