/**
 * A rejected login costs the same work for every reason: one comparison with a hash of the current cost, and the same
 * reads. `npm run stress -- --only timing` measures the time.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { internalFlow } from '../../src/server/limits/hash-queue.ts';
import { createDummyHash, readHashCost } from '../../src/server/store/hash-cost.ts';
import { defaultHashCost } from '../../src/server/store/tables.ts';
import { createDummyHashes } from '../../src/server/users/dummy-hashes.ts';
import { createPasswords, verifyPasswordHash } from '../../src/server/users/passwords.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../harness.ts';
import { replacePasswords } from '../server/operations/user-identities/login-fixtures.ts';
import { areaUnderCurve, tolerance } from '../stress/timing/rank-statistics.ts';

const ownHash = createDummyHash(defaultHashCost);
const password = 'an unguessable pass phrase';
const wrong = 'another pass phrase';
const users = [
  { userId: 'alice', userName: 'alice', password },
  { userId: 'bob', userName: 'bob', password, locked: true },
  { userId: 'carol', userName: 'carol' },
];

const kinds: readonly [string, string, string][] = [
  ['a wrong password', 'alice', wrong],
  ['an unknown user', 'unknown-name', wrong],
  ['a locked user with the right password', 'bob', password],
  ['a locked user with a wrong password', 'bob', wrong],
  ['a user without a password', 'carol', wrong],
];

const basic = (name: string, secret: string) => `Basic ${btoa(`${name}:${secret}`)}`;
const json = ['Content-Type', 'application/json'] as const;
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

/** Every operation that accepts the password of a user without a session. */
const passwordLogins: Readonly<
  Record<string, (server: TestServer, name: string, secret: string) => Promise<{ status: number }>>
> = {
  'user-identities.login': (server, name, secret) =>
    server.send({
      method: 'POST',
      path: `${servicePrefix}/user-identities/login?clientId=${appClientId}`,
      headers: [['Authorization', basic(name, secret)]],
    }),
  'generate-token.create': (server, userName, secret) =>
    server.send({
      method: 'POST',
      path: `${servicePrefix}/generate-token`,
      headers: [json],
      body: JSON.stringify({ grantType: 'password', clientId: appClientId, userName, password: secret }),
    }),
  'client-identities.connect-token': (server, username, secret) =>
    server.send({
      method: 'POST',
      path: `${servicePrefix}/client-identities/connect/token`,
      headers: [form],
      body: new URLSearchParams({
        grant_type: 'password',
        client_id: appClientId,
        username,
        password: secret,
      }).toString(),
    }),
};

/** Records the cost of each hash that is compared from now on. */
function watched(compared: string[]): typeof verifyPasswordHash {
  return (secret, hash) => {
    compared.push(/^\$(argon2id\$v=19\$[^$]+)\$/.exec(hash)?.[1] ?? hash);
    return verifyPasswordHash(secret, hash);
  };
}

describe('a rejected login compares one hash of the current cost', () => {
  let server: TestServer;
  const compared: string[] = [];

  beforeAll(async () => {
    server = await startServer({ seed: { users }, flags: { 'disable-rate-limits': true, 'fast-passwords': false } });
    replacePasswords(server, createPasswords({ run: (work) => work() }, { verify: watched(compared) }));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(Object.entries(passwordLogins))('in %s', async (_operation, logIn) => {
    const seen = [];
    for (const [kind, name, secret] of kinds) {
      compared.length = 0;
      const { status } = await logIn(server, name, secret);
      seen.push({ kind, status, compared: [...compared] });
    }
    const [{ status } = { status: 0 }] = seen;
    expect([400, 401]).toContain(status);
    expect(seen).toEqual(kinds.map(([kind]) => ({ kind, status, compared: ['argon2id$v=19$m=19456,t=2,p=1'] })));
  });
});

test('in a store with imported hashes, unknown names cost what known users do, in the same proportions', async () => {
  const imported = ['$2b$04$', '$pbkdf2-sha256$i=1000,l=64$22$86', '$scrypt$ln=10,r=8,p=1$22$86'].map(createDummyHash);
  const names = (prefix: string) => Array.from({ length: 400 }, (_, at) => `${prefix}-${at}`);
  await using server = await startServer({
    seed: { users: names('known').map((userId, at) => ({ userId, passwordHash: imported[at % 4] ?? ownHash })) },
    flags: { 'disable-rate-limits': true, 'fast-passwords': false },
  });
  const compared: string[] = [];
  const verify: typeof verifyPasswordHash = async (_, hash) => compared.push(String(readHashCost(hash))) < 0;
  const dummies = createDummyHashes(server.appContext);
  replacePasswords(server, createPasswords({ run: (work) => work() }, { verify, dummies }));
  const countCosts = async (prefix: string) => {
    compared.length = 0;
    for (const name of names(prefix)) await passwordLogins['user-identities.login']?.(server, name, wrong);
    return new Map([...new Set(compared)].map((cost) => [cost, compared.filter((each) => each === cost).length]));
  };
  const [known, unknown] = [await countCosts('known'), await countCosts('unknown')];
  expect([...unknown.keys()].sort()).toEqual([...known.keys()].sort());
  for (const [cost, count] of known) expect(Math.abs((unknown.get(cost) ?? 0) - count)).toBeLessThan(40);
  expect(await countCosts('unknown')).toEqual(unknown);
});

test.each([false, true])('compares an unknown user with a hash of the configured cost (fast: %s)', async (fast) => {
  const compared: string[] = [];
  const passwords = createPasswords({ run: (work) => work() }, { fast, verify: watched(compared) });
  expect(await passwords.matches('any', undefined, internalFlow)).toBe(false);
  expect(await passwords.matches('any', await passwords.hash('other', internalFlow), internalFlow)).toBe(false);
  expect(compared[0]).toBe(compared[1]);
});

test('an unknown client, a wrong secret and a client without a secret cost the same reads and one digest', async () => {
  await using server = await startServer({ flags: { 'disable-rate-limits': true } });
  const { clients, users: people, businesses } = server.appContext.store;
  const seen = [];
  for (const clientId of [adminClient.clientId, 'unknown-name', appClientId]) {
    const spies = [vi.spyOn(clients, 'get'), vi.spyOn(people, 'get'), vi.spyOn(businesses, 'get')];
    const response = await server.send({
      method: 'POST',
      path: `${servicePrefix}/client-identities/login`,
      headers: [['Authorization', basic(clientId, 'wrong')]],
    });
    seen.push({ status: response.status, body: response.json, reads: spies.map((spy) => spy.mock.calls.length) });
    for (const spy of spies) spy.mockRestore();
  }
  expect(seen[0]?.status).toBe(401);
  expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
});

describe('the rank test of the stress suites', () => {
  const fast = Array.from({ length: 2000 }, (_, at) => 10 + (at % 97) / 97);

  test('finds no difference in samples of one distribution, and one where a class is always slower', () => {
    expect(areaUnderCurve(fast, fast)).toBeCloseTo(0.5, 10);
    expect(
      areaUnderCurve(
        fast,
        fast.map((value) => value + 2),
      ),
    ).toBe(1);
    expect(
      areaUnderCurve(
        fast.map((value) => value + 2),
        fast,
      ),
    ).toBe(0);
  });

  test('finds a difference of a tenth of the spread in 2,000 samples, and allows more with fewer samples', () => {
    const slower = fast.map((value) => value + 0.1);
    expect(areaUnderCurve(fast, slower) - 0.5).toBeGreaterThan(tolerance(2000));
    expect(tolerance(2000)).toBe(0.05);
    expect(tolerance(50)).toBeGreaterThan(0.2);
  });
});
