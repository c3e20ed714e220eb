/** Limits are refused before they are crossed: rows, memory, and a log that grows faster than checkpoints are written. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Disk } from '../../../../src/server/store/file/disk.ts';
import { type Capacity, defaultCapacity } from '../../../../src/server/store/memory/capacity.ts';
import { openMemoryStore } from '../../../../src/server/store/memory/memory-store.ts';
import { StoreUnavailableError } from '../../../../src/server/store/store.ts';
import { bindDisk, bindDiskFile } from '../../../stress/disk-methods.ts';
import { FakeDisk } from '../fake-disk.ts';
import { countCommits, History } from '../history.ts';
import { group } from '../rows.ts';
import { files, StoreHarness } from '../store-harness.ts';

describe('a table', () => {
  test('takes no more than its limit of rows, and rows again after a delete', async () => {
    const harness = new StoreHarness();
    const store = await harness.open({ capacity: { ...defaultCapacity, maxTableEntries: 3 } });
    const insert = (id: string) => store.transaction(({ groups }) => groups.insert(group(id)));
    for (const id of ['a', 'b', 'c']) await insert(id);
    const wal = harness.bytes(files.wal);
    await expect(insert('d')).rejects.toThrow(StoreUnavailableError);
    expect(harness.bytes(files.wal)).toEqual(wal);
    expect(await store.groups.count()).toBe(3);
    await store.transaction(({ groups }) => groups.delete('b'));
    await insert('d');
    expect((await store.groups.list()).map(({ groupId }) => groupId)).toEqual(['a', 'c', 'd']);
  });

  test('counts the values of an index as well, and rows of one transaction', async () => {
    const store = await new StoreHarness().open({ capacity: { ...defaultCapacity, maxTableEntries: 3 } });
    await store.transaction(({ groups }) => groups.insert(group('a', { roles: ['1', '2', '3'] })));
    await expect(store.transaction(({ groups }) => groups.insert(group('b')))).rejects.toThrow('limit of 3 entries');
    await expect(
      store.transaction(async ({ counters }) => {
        for (const name of ['a', 'b', 'c', 'd']) await counters.insert({ name, last: 1 });
      }),
    ).rejects.toThrow(StoreUnavailableError);
    expect(await store.counters.count()).toBe(0);
  });
});

describe('a full heap', () => {
  const engines = {
    file: (capacity: Capacity) => new StoreHarness().open({ capacity }),
    memory: async (capacity: Capacity) => openMemoryStore(capacity),
    'a fork': (capacity: Capacity) => openMemoryStore(capacity).fork(),
  };

  test.each(Object.keys(engines) as (keyof typeof engines)[])(
    'rejects new rows, and accepts them when it has space: %s',
    async (engine) => {
      let heapUse = 0.85;
      const store = await engines[engine]({ ...defaultCapacity, heapUse: () => heapUse });
      const insert = (id: string) => store.transaction(({ groups }) => groups.insert(group(id)));
      const rename = (id: string, groupName: string) =>
        store.transaction(({ groups }) => groups.replace(group(id, { groupName })));
      await insert('a');
      heapUse = 0.851;
      await expect(insert('b')).rejects.toThrow(StoreUnavailableError);
      // A lock or a revocation changes rows.
      await rename('a', 'renamed');
      expect((await store.groups.get('a'))?.groupName).toBe('renamed');
      heapUse = 0.951;
      await expect(rename('a', 'again')).rejects.toThrow(StoreUnavailableError);
      expect((await store.groups.get('a'))?.groupName).toBe('renamed');
      expect(store.health()).toMatchObject({
        writable: false,
        permanent: false,
        reason: expect.stringContaining('heap'),
      });
      expect(await store.groups.count()).toBe(1);
      await store.transaction(({ groups }) => groups.delete('a'));
      heapUse = 0.85;
      await insert('b');
      expect(store.health()).toEqual({ writable: true });
    },
  );
});

/** A disk on which the checkpoint is not written before `release` is called. */
function withSlowCheckpoints(disk: FakeDisk): { disk: Disk; release: () => void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const open: Disk['open'] = async (path, mode) => {
    const file = await disk.open(path, mode);
    if (path !== `${files.checkpoint}.tmp`) return file;
    return { ...bindDiskFile(file), sync: () => released.then(() => file.sync()) };
  };
  return { disk: { ...bindDisk(disk), open }, release };
}

test('writers wait when the log has grown to its limit while a checkpoint is written', async () => {
  const fake = new FakeDisk();
  const harness = new StoreHarness(fake);
  const history = new History();
  await history.commits(await harness.open(), 1);
  const slow = withSlowCheckpoints(harness.disk);
  const limited = new StoreHarness(harness.disk, () => slow.disk);
  const store = await limited.open({
    tuning: { delayMilliseconds: Number.POSITIVE_INFINITY, walBytes: 1e9, maxWalBytes: 20_000 },
  });
  await history.commit(store);
  const checkpoint = store.checkpoint();
  let saved = 0;
  const countSaved = () => {
    saved += 1;
  };
  const commits: Promise<void>[] = [];
  for (let number = 0; number < 100; number += 1) {
    commits.push(history.commit(store, 1000).then(countSaved));
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  }
  // One batch may cross the limit.
  expect(saved).toBeGreaterThan(5);
  expect(saved).toBeLessThan(40);
  expect(fake.contents(files.wal)?.length).toBeLessThan(25_000);
  expect(await countCommits(store)).toBe(saved + 2);
  slow.release();
  await checkpoint;
  await Promise.all(commits);
  expect(await countCommits(store)).toBe(102);
  await store.close();
});
