/** Setting refresh-grace: a used refresh token returns its successor again, for clients that lost a response. */
import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../harness.ts';
import { alice, startWith } from '../operations/user-identities/login-fixtures.ts';
import { rememberMe } from '../operations/user-identities/remember-me-fixtures.ts';
import { associate, createTokens, findSession, renew } from '../operations/user-identities/session-fixtures.ts';

const grace = 30;
const startWithGrace = () => startWith([], { flags: { 'refresh-grace': String(grace) } });

const renewTo = async (server: TestServer, refreshToken: string | undefined) =>
  (await renew(server, refreshToken))?.refreshToken;

describe('within the grace', () => {
  test('parallel and repeated uses of a token return the same successor, which renews the session', async () => {
    await using server = await startWithGrace();
    const { refreshToken } = await createTokens(server);
    const successors = await Promise.all(Array.from({ length: 20 }, () => renewTo(server, refreshToken)));
    server.clock.advance(grace - 1);
    successors.push(await renewTo(server, refreshToken));
    expect(new Set(successors).size).toBe(1);
    expect(successors[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await server.appContext.store.refreshTokens.count()).toBe(1);
    expect(await renewTo(server, successors[0])).toBeDefined();
  });

  test('a use after that of the successor ends the session', async () => {
    await using server = await startWithGrace();
    const first = await createTokens(server);
    const third = await renewTo(server, await renewTo(server, first.refreshToken));
    expect(await renew(server, first.refreshToken)).toBeUndefined();
    expect(await findSession(server, first)).toBeUndefined();
    expect(await renew(server, third)).toBeUndefined();
  });

  test('a use of another client has no effect', async () => {
    await using server = await startWithGrace();
    await server.makeClient({ clientId: 'shop', serviceAccountId: 'shop-service' });
    const { refreshToken } = await createTokens(server);
    const successor = await renewTo(server, refreshToken);
    expect(await renew(server, refreshToken, 'shop')).toBeUndefined();
    expect(await renewTo(server, refreshToken)).toBe(successor);
  });

  test('only the device of the first use gets the successor; a use without it ends the session', async () => {
    await using server = await startWithGrace();
    const first = await createTokens(server);
    const deviceTokenId = await associate(server, first);
    const credentials = { userName: alice.userName, refreshToken: first.refreshToken, deviceTokenId };
    const successor = (await rememberMe(server, credentials))?.refreshToken;
    expect((await rememberMe(server, credentials))?.refreshToken).toBe(successor);
    expect(await renew(server, first.refreshToken)).toBeUndefined();
    expect(await findSession(server, first)).toBeUndefined();
  });

  test('a locked user gets nothing', async () => {
    await using server = await startWithGrace();
    const { refreshToken } = await createTokens(server);
    await renew(server, refreshToken);
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    expect(await renew(server, refreshToken)).toBeUndefined();
  });
});

test('after the grace a second use ends the session', async () => {
  await using server = await startWithGrace();
  const first = await createTokens(server);
  const successor = await renewTo(server, first.refreshToken);
  server.clock.advance(grace);
  expect(await renew(server, first.refreshToken)).toBeUndefined();
  expect(await findSession(server, first)).toBeUndefined();
  expect(await renew(server, successor)).toBeUndefined();
});

test('the successors of two stores differ: without the key of the store they cannot be made', async () => {
  await using one = await startWithGrace();
  await using other = await startWithGrace();
  const { refreshToken } = await createTokens(one);
  const row = (await one.appContext.store.refreshTokens.list())[0];
  const { sessionId = '' } = row ?? {};
  const original = await one.appContext.store.sessions.get(sessionId);
  await other.appContext.store.transaction(async (tx) => {
    if (original) await tx.sessions.insert(original);
    if (row) await tx.refreshTokens.insert(row);
  });
  const successors = [await renewTo(one, refreshToken), await renewTo(other, refreshToken)];
  expect(successors).toEqual([expect.any(String), expect.any(String)]);
  expect(successors[0]).not.toBe(successors[1]);
});
