import { describe, expect, test } from 'vitest';
import { epochSeconds } from '../../../../../src/server/lib/clock.ts';
import { hashSecret } from '../../../../../src/server/lib/secrets.ts';
import { openMemoryStore } from '../../../../../src/server/store/memory/memory-store.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { userToken } from '../../../operations/user-token.ts';
import { send } from '../../control-client.ts';

const revoke = (server: TestServer, body: unknown) => send(server, '/_iam/revoke', { method: 'POST', body });

async function statusWith(server: TestServer, token: string): Promise<number> {
  return (await server.as({ token }).raw('GET', '/security/iam/v1/groups')).status;
}

describe('a revoked token', () => {
  test('of a user ends its session, and no other', async () => {
    await using server = await startServer();
    const [token, other] = [
      await userToken(server, { userId: 'u1', roles: ['ADMIN'] }),
      await userToken(server, { roles: ['ADMIN'] }),
    ];
    expect(await statusWith(server, token)).toBe(200);
    expect(await revoke(server, { token })).toMatchObject({ status: 200, body: {} });
    expect([await statusWith(server, token), await statusWith(server, other)]).toEqual([401, 200]);
    expect(await server.appContext.store.sessions.find('userId', 'u1')).toEqual([]);
  });

  test('is rejected after a restart', async () => {
    const store = openMemoryStore();
    const openStore = async () => ({ ...store, close: async () => {} });
    const first = await startServer({ openStore });
    const { accessToken: token } = await first.as(adminClient).clientIdentities.login();
    const { accessToken: other } = await first.as(adminClient).clientIdentities.login();
    await revoke(first, { token });
    await first[Symbol.asyncDispose]();
    await using second = await startServer({ openStore, flags: { port: new URL(first.url).port } });
    expect([await statusWith(second, token), await statusWith(second, other)]).toEqual([401, 200]);
  });

  test('is stored only until it would have expired', async () => {
    await using server = await startServer();
    for (let at = 0; at < 20; at += 1) {
      const { accessToken: token } = await server.as(adminClient).clientIdentities.login();
      await revoke(server, { token });
      server.clock.advance(1800);
    }
    expect(await server.appContext.store.revokedTokens.count()).toBeLessThan(10);
  });

  test('of a product is rejected', async () => {
    await using server = await startServer();
    const { store, clock } = server.appContext;
    const row = { clientId: appClientId, productId: 'p', expiresAt: epochSeconds(clock) + 60 };
    await store.transaction(async (tx) => {
      for (const token of ['one', 'other']) await tx.opaqueTokens.insert({ ...row, tokenHash: hashSecret(token) });
    });
    await revoke(server, { token: 'one' });
    expect(await store.opaqueTokens.list()).toMatchObject([{ tokenHash: hashSecret('other') }]);
  });
});

test('an invalid or expired token returns the same response and changes nothing', async () => {
  await using server = await startServer();
  const token = await userToken(server, { userId: 'u1' });
  const { accessToken } = await server.as(adminClient).clientIdentities.login();
  const before = await server.dump();
  const spoilt = [`${token}x`, token.slice(0, -2), 'x', '__proto__', 'a.b.c', hashSecret('x'), 'ü'.repeat(1000)];
  for (const text of spoilt) expect(await revoke(server, { token: text })).toMatchObject({ status: 200, body: {} });
  expect(await server.dump()).toEqual(before);
  server.clock.advance(12 * 3600);
  for (const text of [token, accessToken]) expect(await revoke(server, { token: text })).toMatchObject({ status: 200 });
  expect(await server.dump()).toEqual(before);
});

test('neither the log nor the store contains the revoked token', async () => {
  await using server = await startServer();
  const { accessToken: token } = await server.as(adminClient).clientIdentities.login();
  await revoke(server, { token });
  expect(server.log.join('\n')).not.toContain(token.slice(-20));
  expect(JSON.stringify(await server.dump())).not.toContain(token.slice(-20));
});
