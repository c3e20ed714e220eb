/** Forks and copies: they pass the store suite and are independent of their origin. */
import { describe, expect, test } from 'vitest';
import { copyStore, type ForkableStore, openMemoryStore } from '../../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { measureCost } from '../../../security/measure-cost.ts';
import { embeddedStoreSuite } from '../embedded-suite.ts';
import { group, insertGroups, user } from '../rows.ts';

/** A fork with all rows deleted, so that overlays below contain keys that the suite uses. */
async function createEmptyFork(): Promise<ForkableStore> {
  const origin = openMemoryStore();
  await insertGroups(origin, ...['a', 'b', 'c'].map((id) => group(id, { roles: ['x'] })));
  const fork = await origin.fork();
  await fork.transaction(async (tx) => {
    for (const id of ['a', 'b', 'c']) await tx.groups.delete(id);
  });
  return fork;
}

const opened = (store: Store) => ({ store, dispose: () => store.close() });

embeddedStoreSuite('a fork of an empty store', async () => opened(await openMemoryStore().fork()));
embeddedStoreSuite('a fork of a fork with deleted rows', async () => opened(await (await createEmptyFork()).fork()));
embeddedStoreSuite('a copy', async () => opened(await copyStore(openMemoryStore())));

const ids = async (store: Store) => (await store.groups.list()).map(({ groupId }) => groupId);

describe('a fork', () => {
  test('starts with the rows of its origin and is independent of it', async () => {
    const origin = openMemoryStore();
    await insertGroups(origin, group('a'), group('b'));
    const fork = await origin.fork();
    await insertGroups(origin, group('of-the-origin'));
    await insertGroups(fork, group('of-the-fork'));
    await fork.transaction(async (tx) => {
      await tx.groups.delete('a');
      await tx.groups.replace(group('b', { groupName: 'renamed' }));
    });
    expect(await ids(origin)).toEqual(['a', 'b', 'of-the-origin']);
    expect(await ids(fork)).toEqual(['b', 'of-the-fork']);
    expect((await origin.groups.get('b'))?.groupName).toBe('name of b');
    expect(await origin.groups.getBy('groupName', 'renamed')).toBeUndefined();
    expect([await origin.groups.count(), await fork.groups.count()]).toEqual([3, 2]);
  });

  test('contains each concurrent transaction completely or not at all', async () => {
    const origin = openMemoryStore();
    const writes = Array.from({ length: 100 }, (_, at) =>
      origin.transaction(async (tx) => {
        await tx.groups.insert(group(`g${at}`));
        await tx.users.insert(user(`u${at}`));
      }),
    );
    const forks = await Promise.all([origin.fork(), origin.fork()]);
    await Promise.all(writes);
    for (const fork of forks) expect(await fork.groups.count()).toBe(await fork.users.count());
    expect(await origin.groups.count()).toBe(100);
  });

  test('outlives its origin, and repeated forks do not deepen the overlay chain', async () => {
    const origin = openMemoryStore();
    await insertGroups(origin, group('a'));
    for (let at = 0; at < 1000; at += 1) await origin.fork();
    const fork = await origin.fork();
    await origin.close();
    const listOften = async () => {
      for (let at = 0; at < 1000; at += 1) await fork.groups.list();
    };
    expect(await measureCost(listOften, { enough: 1000 })).toBeLessThan(1000);
    expect(await ids(fork)).toEqual(['a']);
  });
});

test('a copy contains every row and shares no later writes', async () => {
  const origin = openMemoryStore();
  await insertGroups(origin, group('a'), group('b'));
  const copy = await copyStore(origin);
  await insertGroups(origin, group('c'));
  await insertGroups(copy, group('d'));
  expect([await ids(origin), await ids(copy)]).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'd'],
  ]);
});
