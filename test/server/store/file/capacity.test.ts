/** Limits are refused before they are crossed: rows, memory, and a log that grows faster than checkpoints are written. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Disk } from '../../../../src/server/store/file/disk.ts';
import { defaultCapacity } from '../../../../src/server/store/memory/capacity.ts';
import { isHeapFull } from '../../../../src/server/store/memory/heap-gauge.ts';
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
  test('rejects writes, but neither reads nor deletes, and accepts writes when it has space', async () => {
    let full = false;
    const harness = new StoreHarness();
    const store = await harness.open({ capacity: { ...defaultCapacity, isMemoryFull: () => full } });
    const insert = (id: string) => store.transaction(({ groups }) => groups.insert(group(id)));
    await insert('a');
    full = true;
    await expect(insert('b')).rejects.toThrow(StoreUnavailableError);
    expect(store.health()).toMatchObject({
      writable: false,
      permanent: false,
      reason: expect.stringContaining('heap'),
    });
    expect(await store.groups.count()).toBe(1);
    await store.transaction(({ groups }) => groups.delete('a'));
    full = false;
    await insert('b');
    expect(store.health()).toEqual({ writable: true });
  });

  test('begins at 85 % of its limit', () => {
    expect(isHeapFull({ used_heap_size: 850, heap_size_limit: 1000 })).toBe(false);
    expect(isHeapFull({ used_heap_size: 851, heap_size_limit: 1000 })).toBe(true);
  });
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
  const store = await limited.open({ tuning: { delayMilliseconds: 1_000_000, walBytes: 1e9, maxWalBytes: 20_000 } });
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
