/** What a login does beside logging in: a hash of lower cost is replaced, and a session is bound to the device shown. */
import { hash } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../../src/server/identity/secrets.ts';
import { appClientId, type TestServer } from '../../../harness.ts';
import { rowOf } from './callers.ts';
import { startFast, tally } from './flows.ts';
import {
  alice,
  basic,
  countHashes,
  logIn,
  loginEndpoints,
  password,
  passwordHash,
  postJson,
  readClaims,
  startWith,
} from './login-fixtures.ts';

const atCost = (memoryCost: number, timeCost: number) =>
  hash(password, { algorithm: 2, memoryCost, timeCost, parallelism: 1 });
const current = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

async function withHash(value: string): Promise<TestServer> {
  const server = await startWith();
  await setHash(server, value);
  return server;
}

async function setHash({ appContext: world }: TestServer, value: string): Promise<void> {
  await world.store.transaction(async (tx) => {
    const user = await tx.users.get(alice.userId);
    if (user) await tx.users.replace({ ...user, passwordHash: value });
  });
}

describe('a hash of lower cost', () => {
  test.each(Object.keys(loginEndpoints))(
    'is replaced by a successful login at %s, never by a failed one',
    async (door) => {
      const old = await atCost(4096, 1);
      await using server = await withHash(old);
      await loginEndpoints[door]?.(server, 'alice', 'wrong');
      expect((await rowOf(server)).passwordHash).toBe(old);
      expect((await loginEndpoints[door]?.(server, 'alice', password))?.status).toBeLessThan(300);
      const { passwordHash: renewed } = await rowOf(server);
      expect(renewed).toMatch(current);
      await expect(logIn(server)).resolves.toBeDefined();
      expect((await rowOf(server)).passwordHash).toBe(renewed);
    },
  );

  test('stays where the user is locked', async () => {
    const old = await atCost(4096, 1);
    await using server = await withHash(old);
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
    expect((await rowOf(server)).passwordHash).toBe(old);
  });

  test('is replaced once by 50 right logins at once, and all of them succeed', async () => {
    await using server = await withHash(await atCost(4096, 1));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        postJson(server, `/user-identities/login?clientId=${appClientId}`, { userName: 'alice', password }),
      ),
    );
    expect(tally(answers)).toEqual({ 201: 50 });
    expect((await rowOf(server)).passwordHash).toMatch(current);
  });

  test('is all that is replaced: one of the same cost or a higher one stays, and costs one check', async () => {
    for (const value of [passwordHash, await atCost(47_104, 1), await atCost(19_456, 3)]) {
      await using server = await withHash(value);
      const hashes = countHashes(server);
      await logIn(server);
      expect((await rowOf(server)).passwordHash).toBe(value);
      expect(hashes.count).toBe(1);
    }
  });

  test('is none where new ones are fast', async () => {
    await using server = await startFast();
    await logIn(server);
    expect((await rowOf(server)).passwordHash).toBe(passwordHash);
    const low = await atCost(8, 1);
    await setHash(server, low);
    await logIn(server);
    expect((await rowOf(server)).passwordHash).toBe(low);
  });
});

describe('a device that is shown', () => {
  const device = { deviceKey: 'key-1', deviceId: 'phone', createdAt: '2026-03-01T12:00:00.000Z' };
  const path = `/user-identities/login?clientId=${appClientId}&remember-me=true`;

  async function keysOf(server: TestServer, body: object, headers = {}): Promise<(string | undefined)[]> {
    const answer = await postJson(server, path, body, headers);
    expect(answer).toMatchObject({ status: 201 });
    const { sid = '' } = readClaims(answer.json as { accessToken: string });
    return [(await server.appContext.store.sessions.get(sid))?.deviceKey];
  }

  async function addDevice({ appContext: world }: TestServer, userId: string, value: string): Promise<void> {
    await world.store.transaction((tx) => tx.devices.insert({ ...device, userId, tokenHash: hashSecret(value) }));
  }

  test('binds the session where it is one of the user', async () => {
    await using server = await startFast();
    await addDevice(server, alice.userId, 'value of the device');
    const deviceTokenId = 'value of the device';
    expect(await keysOf(server, { userName: 'alice', password, deviceTokenId })).toEqual(['key-1']);
    const authorization = basic('alice', password);
    expect(await keysOf(server, { deviceTokenId }, { authorization })).toEqual(['key-1']);
  });

  test('is as none where it is unknown, or of somebody else', async () => {
    await using server = await startFast([{ userId: 'carol', userName: 'carol' }]);
    await addDevice(server, 'carol', 'value of the device');
    for (const deviceTokenId of ['value of the device', 'unknown', ''])
      expect(await keysOf(server, { userName: 'alice', password, deviceTokenId })).toEqual([undefined]);
  });
});

test('a password does not expire: 400 days later it logs in', async () => {
  await using server = await startFast();
  server.clock.advance(400 * 24 * 3600);
  await expect(logIn(server)).resolves.toBeDefined();
});
