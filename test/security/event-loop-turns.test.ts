/**
 * Work on many rows yields to the event loop. The tests count turns, which do not depend on the speed of the machine. A
 * member of many groups with many dependencies, a page of such groups, and a delete of many rows each blocked the loop
 * for seconds.
 */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { edgesPerTurn, resolveEffectiveRoles } from '../../src/server/directory/group-roles.ts';
import { toGroupViews } from '../../src/server/directory/groups.ts';
import { readRoleSources } from '../../src/server/directory/role-provenance.ts';
import { dumpStore } from '../../src/server/snapshots/dump.ts';
import { encodeDump } from '../../src/server/snapshots/dump-format.ts';
import { exportSeed, formatSeed } from '../../src/server/snapshots/seed-export.ts';
import { openMemoryStore } from '../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../src/server/store/store.ts';
import { membershipKey } from '../../src/server/store/tables.ts';
import { adminClient, startServer } from '../harness.ts';
import { basic } from '../server/operations/user-identities/login-fixtures.ts';

const createdAt = '2026-03-01T12:00:00.000Z';
const wide = 200;
/** Groups times dependencies. */
const edges = wide * wide;
const member = { kind: 'user', memberId: 'ann' } as const;

/** Counts the turns of the event loop during the work. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = async () => {
    for (; !isOver; turns += 1) await setImmediate();
  };
  const counting = count();
  await work();
  isOver = true;
  await counting;
  return turns;
}

/** Ann is a member of groups that each depend on as many others. */
async function addWideGroups(store: Store): Promise<void> {
  const bottom = Array.from({ length: wide }, (_, at) => `bottom-${at}`);
  await store.transaction(async (tx) => {
    for (const groupId of bottom)
      await tx.groups.insert({
        groupId,
        groupName: groupId,
        roles: [groupId.toUpperCase()],
        dependencies: [],
        createdAt,
      });
    for (let at = 0; at < wide; at += 1) {
      const groupId = `a-top-${at}`;
      await tx.groups.insert({ groupId, groupName: groupId, roles: [], dependencies: bottom, createdAt });
      await tx.memberships.insert({ groupId, ...member });
    }
  });
}

test.each<[string, number, (store: Store, groupIds: readonly string[]) => Promise<unknown>]>([
  ['effective roles', edges, (store, groupIds) => resolveEffectiveRoles(store, groupIds)],
  // Once to find all groups, and once more for each group of the member.
  ['effective roles with the groups that give them', 3 * edges, (store) => readRoleSources(store, [member])],
  ['a list of groups with their dependencies', edges, async (store) => toGroupViews(store, await store.groups.list())],
])('yields to the event loop while it computes %s', async (_what, steps, work) => {
  const store = openMemoryStore();
  await addWideGroups(store);
  const groupIds = (await store.memberships.list()).map(({ groupId }) => groupId);
  expect(await turnsOf(() => work(store, groupIds))).toBeGreaterThan(steps / edgesPerTurn / 2);
});

test('yields to the event loop while it exports a seed', async () => {
  const users = 20_000;
  const row = { emailVerified: false, mobileVerified: false, lead: false, locked: false, identities: [], createdAt };
  const store = openMemoryStore();
  await store.transaction(async (tx) => {
    for (let at = 0; at < users; at += 1) await tx.users.insert({ ...row, userId: `u${at}`, userName: `u${at}` });
  });
  const seed = await exportSeed({ dump: () => dumpStore(store) });
  const turns = users / 250 / 2;
  expect(await turnsOf(() => exportSeed({ dump: () => dumpStore(store) }))).toBeGreaterThan(turns);
  expect(await turnsOf(() => formatSeed(seed))).toBeGreaterThan(turns);
});

test('yields to the event loop while it writes a long response', async () => {
  await using server = await startServer();
  await addWideGroups(server.appContext.store);
  const { userId } = await server.appContext.store.transaction(async (tx) => {
    const ann = { userId: member.memberId, userName: 'ann', emailVerified: false, mobileVerified: false };
    const row = { ...ann, lead: false, locked: false, identities: [], createdAt };
    await tx.users.insert(row);
    return row;
  });
  const authorization = basic(adminClient.clientId, adminClient.clientSecret);
  for (const path of ['/groups?limit=1000', `/user-accesses/user-accounts/${userId}/roles`]) {
    const get = () =>
      server.send({ method: 'GET', path: servicePrefix + path, headers: [['Authorization', authorization]] });
    // The second response uses cached roles, but is still written in parts.
    await get();
    let length = 0;
    const turns = await turnsOf(async () => {
      const response = await get();
      expect(response.status).toBe(200);
      length = JSON.stringify(response.json).length;
    });
    expect(turns).toBeGreaterThan(length / 400_000);
  }
});

test('yields to the event loop while a transaction works on many rows', async () => {
  const store = openMemoryStore();
  const members = Array.from(
    { length: 10_000 },
    (_, at) => ({ groupId: 'g', kind: 'user', memberId: `u${at}` }) as const,
  );
  const insert = () =>
    store.transaction(async (tx) => {
      for (const row of members) await tx.memberships.insert(row);
    });
  const remove = () =>
    store.transaction(async (tx) => {
      for (const row of await tx.memberships.find('group', 'g')) await tx.memberships.delete(membershipKey(row));
    });
  const read = async () => {
    for (const row of members) await store.memberships.get(membershipKey(row));
  };
  for (const work of [insert, read, remove]) expect(await turnsOf(work)).toBeGreaterThan(5);
  expect(await store.memberships.count()).toBe(0);
});

test('a dump is written in slices, none of which takes long', () => {
  const row = (at: number) => ({ groupId: 'g', kind: 'user', memberId: `u${at}` }) as const;
  const memberships = Array.from({ length: 10_000 }, (_, at) => row(at));
  const slices = [...encodeDump(new Map([['memberships', memberships]]))];
  expect(Math.max(...slices.map(({ length }) => length))).toBeLessThan(100_000);
  expect(JSON.parse(Buffer.concat(slices).toString())).toMatchObject({ tables: { memberships, groups: [] } });
});
