/** A login upgrades a hash of lower cost and binds the session to the device of the request. */
import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { hashSync } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../../src/server/lib/secrets.ts';
import { formatPhc } from '../../../../src/server/users/hashes/phc.ts';
import { appClientId, type TestServer } from '../../../harness.ts';
import { rowOf } from './callers.ts';
import { tally } from './flows.ts';
import {
  alice,
  basic,
  countHashes,
  logIn,
  loginEndpoints,
  password,
  postJson,
  readClaims,
  replacePasswords,
  startWith,
} from './login-fixtures.ts';

const hashWithCost = (memoryCost: number, timeCost: number) =>
  hash(password, { algorithm: 2, memoryCost, timeCost, parallelism: 1 });
const salt = Buffer.from('salt of a test');
const current = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

async function withHash(value: string): Promise<TestServer> {
  const server = await startWith([], { flags: { 'fast-passwords': false } });
  await setHash(server, value);
  return server;
}

async function setHash({ appContext }: TestServer, value: string): Promise<void> {
  await appContext.store.transaction(async (tx) => {
    const user = await tx.users.get(alice.userId);
    if (user) await tx.users.replace({ ...user, passwordHash: value });
  });
}

test('a stored hash that costs too much matches no password, and is not computed', async () => {
  await using server = await withHash(await hashWithCost(64, 11));
  await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
  await setHash(server, `$2b$15$${'.'.repeat(53)}`);
  await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
  await setHash(server, await hashWithCost(64, 2));
  await expect(logIn(server)).resolves.toBeDefined();
});

/** Hashes of `password` by other services. */
const importedHashes: Readonly<Record<string, string>> = {
  PBKDF2: formatPhc('pbkdf2-sha256', 'i=1000,l=64', salt, pbkdf2Sync(password, salt, 1000, 64, 'sha256')),
  bcrypt: hashSync(password, 4),
  scrypt: formatPhc('scrypt', 'ln=10,r=8,p=1', salt, scryptSync(password, salt, 32, { cost: 1024 })),
  Argon2i: await hash(password, { algorithm: 1, memoryCost: 64 }),
};

describe.each(Object.keys(importedHashes))('a hash of %s', (kind) => {
  const imported = importedHashes[kind] ?? '';

  test('is replaced by Argon2id with a successful login, also with cheap hashes', async () => {
    for (const fast of [false, true]) {
      await using server = await startWith([], { flags: { 'fast-passwords': fast } });
      await setHash(server, imported);
      await loginEndpoints.login?.(server, 'alice', 'wrong');
      expect((await rowOf(server)).passwordHash).toBe(imported);
      await logIn(server);
      expect((await rowOf(server)).passwordHash).toMatch(fast ? /^\$argon2id\$v=19\$m=8,/ : current);
      await expect(logIn(server)).resolves.toBeDefined();
    }
  });
});

test('a password that is changed while an imported hash is replaced stays', async () => {
  await using server = await withHash(importedHashes.bcrypt ?? '');
  const other = await hashWithCost(19_456, 3);
  const hashes = server.appContext.passwords;
  replacePasswords(server, {
    async hash(text, flow) {
      const newHash = await hashes.hash(text, flow);
      await setHash(server, other);
      return newHash;
    },
  });
  await logIn(server);
  expect((await rowOf(server)).passwordHash).toBe(other);
});

describe('a hash of lower cost', () => {
  test.each(Object.keys(loginEndpoints))(
    'is replaced by a successful login at %s, but not by a failed one',
    async (endpoint) => {
      const old = await hashWithCost(4096, 1);
      await using server = await withHash(old);
      await loginEndpoints[endpoint]?.(server, 'alice', 'wrong');
      expect((await rowOf(server)).passwordHash).toBe(old);
      expect((await loginEndpoints[endpoint]?.(server, 'alice', password))?.status).toBeLessThan(300);
      const { passwordHash: renewed } = await rowOf(server);
      expect(renewed).toMatch(current);
      await expect(logIn(server)).resolves.toBeDefined();
      expect((await rowOf(server)).passwordHash).toBe(renewed);
    },
  );

  test('is not replaced if the user is locked', async () => {
    const old = await hashWithCost(4096, 1);
    await using server = await withHash(old);
    await server.admin.userIdentities.lock({ body: { userId: alice.userId } });
    await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
    expect((await rowOf(server)).passwordHash).toBe(old);
  });

  test('is replaced once by ten concurrent logins, which all succeed', async () => {
    await using server = await withHash(await hashWithCost(4096, 1));
    const responses = await Promise.all(
      Array.from({ length: 10 }, () =>
        postJson(server, `/user-identities/login?clientId=${appClientId}`, { userName: 'alice', password }),
      ),
    );
    expect(tally(responses)).toEqual({ 201: 10 });
    expect((await rowOf(server)).passwordHash).toMatch(current);
  });

  test('is replaced, but not one of the same or higher cost, which needs only one verification', async () => {
    for (const value of [await hashWithCost(19_456, 2), await hashWithCost(47_104, 1), await hashWithCost(19_456, 3)]) {
      await using server = await withHash(value);
      const hashes = countHashes(server);
      await logIn(server);
      expect((await rowOf(server)).passwordHash).toBe(value);
      expect(hashes.count).toBe(1);
    }
  });

  test('is not replaced if new hashes are fast', async () => {
    await using server = await startWith();
    for (const value of [await hashWithCost(19_456, 2), await hashWithCost(8, 1)]) {
      await setHash(server, value);
      await logIn(server);
      expect((await rowOf(server)).passwordHash).toBe(value);
    }
  });
});

describe('the device of a login', () => {
  const device = { deviceKey: 'key-1', deviceId: 'phone', createdAt: '2026-03-01T12:00:00.000Z' };
  const path = `/user-identities/login?clientId=${appClientId}&remember-me=true`;

  async function keysOf(server: TestServer, body: object, headers = {}): Promise<(string | undefined)[]> {
    const response = await postJson(server, path, body, headers);
    expect(response).toMatchObject({ status: 201 });
    const { sid = '' } = readClaims(response.json as { accessToken: string });
    return [(await server.appContext.store.sessions.get(sid))?.deviceKey];
  }

  async function addDevice({ appContext }: TestServer, userId: string, value: string): Promise<void> {
    await appContext.store.transaction((tx) => tx.devices.insert({ ...device, userId, tokenHash: hashSecret(value) }));
  }

  test('is bound to the session if it belongs to the user', async () => {
    await using server = await startWith();
    await addDevice(server, alice.userId, 'value of the device');
    const deviceTokenId = 'value of the device';
    expect(await keysOf(server, { userName: 'alice', password, deviceTokenId })).toEqual(['key-1']);
    const authorization = basic('alice', password);
    expect(await keysOf(server, { deviceTokenId }, { authorization })).toEqual(['key-1']);
  });

  test('is ignored if it is unknown or belongs to another user', async () => {
    await using server = await startWith([{ userId: 'carol', userName: 'carol' }]);
    await addDevice(server, 'carol', 'value of the device');
    for (const deviceTokenId of ['value of the device', 'unknown', ''])
      expect(await keysOf(server, { userName: 'alice', password, deviceTokenId })).toEqual([undefined]);
  });
});

test('a password does not expire: it is accepted after 400 days', async () => {
  await using server = await startWith();
  server.clock.advance(400 * 24 * 3600);
  await expect(logIn(server)).resolves.toBeDefined();
});
