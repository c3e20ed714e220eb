import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { enqueueMessage } from '../../../../../src/server/messaging/messages.ts';
import { adminClient, appClientId, createFakeClock, startServer, type TestServer } from '../../../../harness.ts';
import { measureCost } from '../../../../security/measure-cost.ts';
import { userToken } from '../../../operations/user-token.ts';
import { makeFolder, openStore } from '../../../store/temp-store.ts';
import { issueForClient } from '../../../tokens/issue-token.ts';
import { send } from '../../control-client.ts';
import { readStableTables, reset, seed } from './state-client.ts';

const notice = { contact: { channel: 'email', to: 'alice@example.com' }, purpose: 'notice', text: 'Changed.' } as const;

/** Changes rows of many kinds. */
async function makeChanges(server: TestServer): Promise<string> {
  const { store } = server.appContext;
  await server.admin.groups.create({ body: { groupName: 'new', roles: ['DEPLOY'] } });
  await server.makeClient({ serviceAccountId: 'a-service' });
  const token = await userToken(server, { userId: 'carol', businessId: 'new-business' });
  await store.transaction(async (tx) => {
    await enqueueMessage(tx, notice, server.appContext);
    await tx.memberships.delete(
      (await tx.memberships.list()).find(({ memberId }) => memberId === 'alice')?.groupId ?? '',
    );
    const [alice, bob] = [await tx.users.get('alice'), await tx.users.get('bob')];
    if (!alice || !bob) return;
    // The names of the two are swapped, with their other unique values.
    await tx.users.replace({ ...bob, userName: 'temporary' });
    await tx.users.replace({ ...alice, userName: 'bob.b', locked: true });
    await tx.users.replace({ ...bob, userName: 'alice.a' });
    await tx.businesses.delete('acme');
  });
  return token;
}

const usersOf = (server: TestServer, token: string) => server.as({ token }).raw('GET', '/security/iam/v1/groups', {});

describe('a reset', () => {
  test.each([
    ['seed', { seed }],
    ['seed', {}],
  ] as const)('to the %s restores the state of a fresh start', async (to, options) => {
    await using fresh = await startServer(options);
    await using server = await startServer(options);
    await makeChanges(server);
    expect(await readStableTables(server)).not.toEqual(await readStableTables(fresh));
    await reset(server, { to });
    expect(await readStableTables(server)).toEqual(await readStableTables(fresh));
    // Without a target, it resets to the seed, and nothing remains to be changed.
    const before = await server.dump();
    await reset(server);
    expect(await server.dump()).toEqual(before);
  });

  test('to empty restores the state of a fresh start without a seed', async () => {
    await using fresh = await startServer();
    await using server = await startServer({ seed });
    await makeChanges(server);
    await reset(server, { to: 'empty' });
    expect(await readStableTables(server)).toEqual(await readStableTables(fresh));
    await reset(server, { to: 'seed' });
    await using seeded = await startServer({ seed });
    expect(await readStableTables(server)).toEqual(await readStableTables(seeded));
  });

  test('keeps administrators, their credentials, and the signing keys', async () => {
    await using server = await startServer({ seed });
    const [kid, client] = [
      server.appContext.keys.current().kid,
      await server.appContext.store.clients.get(adminClient.clientId),
    ];
    await server.appContext.keys.rotate();
    const rotated = server.appContext.keys.current().kid;
    expect(rotated).not.toBe(kid);
    await makeChanges(server);
    await reset(server, { to: 'empty' });
    expect(await server.appContext.store.clients.get(adminClient.clientId)).toEqual(client);
    expect(server.appContext.keys.current().kid).toBe(rotated);
    expect(server.appContext.keys.find(kid)).toBeDefined();
    expect(await server.appContext.store.signingKeys.count()).toBe(2);
    await expect(server.admin.groups.list()).resolves.toBeDefined();
  });

  test('rejects tokens of deleted sessions, even if they were accepted before', async () => {
    await using server = await startServer({ seed });
    const token = await makeChanges(server);
    expect(await usersOf(server, token)).not.toMatchObject({ status: 401 });
    await reset(server);
    expect(await usersOf(server, token)).toMatchObject({ status: 401, body: [{ code: 'TOKEN_INVALID' }] });
  });

  test('does not revalidate revoked tokens', async () => {
    await using server = await startServer();
    const client = await server.appContext.store.clients.get(adminClient.clientId);
    if (!client) throw new Error('there is no administrator client');
    const { accessToken: token } = await issueForClient(server.appContext, client);
    const other = (await issueForClient(server.appContext, client)).accessToken;
    await send(server, '/_iam/revoke', { method: 'POST', body: { token } });
    await reset(server);
    expect(await usersOf(server, token)).toMatchObject({ status: 401 });
    expect(await usersOf(server, other)).not.toMatchObject({ status: 401 });
  });

  test('clears failure counters and uses of API keys', async () => {
    const clientId = 'billing';
    const apiKey = Buffer.alloc(32, 7).toString('base64');
    await using server = await startServer({
      seed: { ...seed, apiKeys: [{ apiKeyId: 'key', appId: 'app', clientId, apiKey }] },
    });
    const path = `/security/iam/v1/user-identities/login?clientId=${appClientId}`;
    const headers = { Authorization: `Basic ${btoa('ann:wrong')}` };
    const wrong = () => send(server, path, { method: 'POST', headers });
    for (let count = 0; count < 10; count += 1) await wrong();
    expect(await wrong()).toMatchObject({ status: 429 });
    await server.as({ apiKey }).raw('GET', '/security/iam/v1/groups', {});
    await reset(server);
    expect(await wrong()).toMatchObject({ status: 401 });
    await server.appContext.apiKeyUses.flush(server.appContext.store);
    expect((await server.appContext.store.apiKeys.get('key'))?.lastUsedAt).toBeUndefined();
  });

  test('wakes callers that wait for a message', async () => {
    await using server = await startServer({ seed });
    const waiting = send(server, '/_iam/inbox/wait?timeout=1');
    await reset(server);
    expect(await waiting).toMatchObject({ status: 404 });
  });

  test('that is rejected changes nothing', async () => {
    await using server = await startServer({ seed });
    await makeChanges(server);
    const before = await server.dump();
    for (const body of [{ to: 'unknown' }, { to: 1 }, { too: 'seed' }, []])
      expect((await send(server, '/_iam/state/reset', { method: 'POST', body })).status).toBeOneOf([400, 422]);
    server.stopWrites();
    expect(await send(server, '/_iam/state/reset', { method: 'POST' })).toMatchObject({
      status: 503,
      body: [{ code: 'STORE_UNAVAILABLE' }],
    });
    expect(await server.dump()).toEqual(before);
  });

  test('is atomic with concurrent writes', async () => {
    await using server = await startServer({ seed });
    const before = await readStableTables(server);
    const writes = Array.from({ length: 100 }, (_, number) =>
      server.admin.groups.create({ body: { groupName: `group-${number}` } }),
    );
    const resets = Array.from({ length: 20 }, () => reset(server));
    await Promise.all([...writes, ...resets]);
    const names = (await server.appContext.store.groups.list()).map(({ groupName }) => groupName);
    expect(new Set(names).size).toBe(names.length);
    await reset(server);
    expect(await readStableTables(server)).toEqual(before);
  });
});

describe('a reset of a store with a history', () => {
  test('restores the state of a fresh start, with the administrators of this store', async () => {
    const folder = await makeFolder();
    const openFolder = () => openStore(folder.directory);
    const first = await startServer({ openStore: openFolder });
    await makeChanges(first);
    const group = await first.appContext.store.groups.getBy('groupName', 'iam-administrators');
    await first[Symbol.asyncDispose]();
    {
      await using server = await startServer({
        openStore: openFolder,
        seed,
        clock: createFakeClock('2026-03-02T12:00:00.000Z'),
      });
      await userToken(server, { userId: 'dora' });
      await using fresh = await startServer({ seed });
      await reset(server);
      expect(await readStableTables(server)).toEqual(await readStableTables(fresh));
      expect(await server.appContext.store.groups.getBy('groupName', 'iam-administrators')).toMatchObject({
        groupId: group?.groupId,
      });
      await expect(server.admin.groups.list()).resolves.toBeDefined();
      const copy = join(folder.directory, '..', 'copy');
      // The disk now contains what a kill would leave.
      await cp(folder.directory, copy, { recursive: true, filter: (file) => !file.endsWith('lock') });
      const [reopened, state] = [await openStore(copy), await server.dump()];
      expect(await reopened.users.list()).toEqual(state.users);
      expect(await reopened.groups.list()).toEqual(state.groups);
      expect(await reopened.sessions.list()).toEqual([]);
      await reopened.close();
      await rm(copy, { recursive: true });
    }
    await folder.remove();
  });
});

test('restores 10,000 users in milliseconds', async () => {
  await using server = await startServer();
  const createdAt = server.clock.now().toISOString();
  const rest = { emailVerified: true, mobileVerified: false, lead: false, locked: false, identities: [], createdAt };
  await server.appContext.store.transaction(async (tx) => {
    for (let number = 0; number < 10_000; number += 1) {
      const userId = `user-${number}`;
      await tx.users.insert({ userId, userName: userId, userEmail: `${userId}@example.com`, ...rest });
      await tx.subjects.insert({ subject: userId, kind: 'user', ownerId: userId });
    }
  });
  const { state, store } = server.appContext;
  await state.saveSnapshot('full', false);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await store.transaction(async (tx) => {
      for (let number = 0; number < 100; number += 1) await tx.users.delete(`user-${number * 7 + round}`);
    });
    times.push(await measureCost(() => state.restoreSnapshot('full'), { tries: 1 }));
  }
  expect(await store.users.count()).toBe(10_001);
  process.stdout.write(`restore of 10,000 users: ${times.map((time) => time.toFixed(1)).join(', ')} ms\n`);
  // A fast machine needs a tenth of it.
  expect(Math.min(...times)).toBeLessThan(process.env.IAM_TEST_STORE === 'postgres' ? 2_000 : 200);
});
