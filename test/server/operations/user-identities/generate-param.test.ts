import { expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { alice, post, postJson, readClaims, startWith } from './login-fixtures.ts';
import { createTokens } from './session-fixtures.ts';

const path = '/user-identities/me/generate-param';

const asAlice = async (server: TestServer) => server.as({ token: (await createTokens(server)).accessToken });

test('returns a value of 256 random bits, valid for a minute, and stores only its hash', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  const response = await postJson(server, path, {}, { authorization: `Bearer ${token.accessToken}` });
  expect(response).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
  expect(response.json).toEqual({ param: expect.any(String), expiresIn: '60' });
  const { param } = response.json as { param: string };
  expect(Buffer.from(param, 'base64url')).toHaveLength(32);
  expect(JSON.stringify(await server.dump()) + server.log.join('')).not.toContain(param);
  const [ticket] = await server.appContext.store.tickets.list();
  expect(ticket).toMatchObject({ kind: 'param', userId: alice.userId, sessionId: readClaims(token).sid });
});

test('returns a new value for each request and needs no body', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  const caller = server.as({ token: token.accessToken }).userIdentities;
  const results = await Promise.all(Array.from({ length: 20 }, () => caller.generateParam({ body: {} })));
  expect(new Set(results.map(({ param }) => param)).size).toBe(20);
  expect(await post(server, path, { authorization: `Bearer ${token.accessToken}` })).toMatchObject({ status: 201 });
});

test('deletes expired values that were never redeemed', async () => {
  await using server = await startWith();
  let caller = await asAlice(server);
  for (let turn = 0; turn < 60; turn += 1) {
    await caller.userIdentities.generateParam({ body: {} });
    server.clock.advance(61);
    if (turn % 30 === 29) caller = await asAlice(server);
  }
  expect(await server.appContext.store.tickets.count()).toBeLessThan(10);
});

test('accepts an existing first-party target', async () => {
  await using server = await startWith();
  const { clientId } = await server.makeClient();
  await server.makeClient({ clientId: 'third-party', party: '3RDPARTY' });
  await server.makeClient({ clientId: 'orphan', userId: 'removed' });
  const caller = (await asAlice(server)).userIdentities;
  await expect(caller.generateParam({ body: { targetClientId: clientId } })).resolves.toMatchObject({
    expiresIn: '60',
  });
  const before = await server.dump();
  for (const [targetClientId, status, code] of [
    ['unknown', 404, 'CLIENT_NOT_FOUND'],
    ['orphan', 404, 'CLIENT_NOT_FOUND'],
    ['third-party', 403, 'TARGET_NOT_ALLOWED'],
  ] as const)
    await expect(caller.generateParam({ body: { targetClientId } })).rejects.toMatchObject({ status, code });
  expect(await server.dump()).toEqual(before);
});
