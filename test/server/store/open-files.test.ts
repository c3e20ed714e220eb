/**
 * Whatever fails, no file stays open: Node 26 ends a process in which one was left to the collector of garbage. Each
 * operation of a life of the store fails in turn, once or with all that come after it.
 */
import { describe, expect, test } from 'vitest';
import { type DiskOperation, systemError } from './fake-disk.ts';
import { History } from './history.ts';
import { files, StoreHarness } from './store-harness.ts';

/** Opens, writes, makes checkpoints and closes, whatever of it fails. */
async function live(bench: StoreHarness): Promise<void> {
  const store = await bench.open().catch(() => undefined);
  if (!store) return;
  const history = new History();
  for (let round = 0; round < 3; round += 1) {
    await history.commits(store, 2).catch(() => undefined);
    await store.checkpoint().catch(() => undefined);
  }
  await history.commit(store).catch(() => undefined);
  await store.close().catch(() => undefined);
}

/** A store in which the next start finds work: a torn tail of the journal and a checkpoint that was not finished. */
async function torn(): Promise<StoreHarness> {
  const bench = new StoreHarness();
  const store = await bench.open();
  await new History().commits(store, 3);
  bench.crash('nothing');
  bench.disk.plant(files.wal, Buffer.concat([bench.bytes(files.wal), Buffer.from('{"torn')]));
  bench.disk.plant(`${files.checkpoint}.tmp`, Buffer.from('{'));
  return bench;
}

async function operationsOf(bench: StoreHarness): Promise<readonly DiskOperation[]> {
  await live(bench);
  return bench.disk.operations;
}

describe.each([
  ['a new store', async () => new StoreHarness()],
  ['a store after a crash', torn],
])('%s', (_, prepared) => {
  test('holds no file once it is closed', async () => {
    const bench = await prepared();
    expect((await operationsOf(bench)).length).toBeGreaterThan(40);
    expect(bench.disk.openFiles).toEqual([]);
  });

  test.each([
    ['EIO', 'once'],
    ['ENOSPC', 'once'],
    ['EIO', 'for good'],
    ['ENOSPC', 'for good'],
  ])('holds none where any operation fails with %s %s', async (code, howOften) => {
    const { length } = await operationsOf(await prepared());
    const left: string[] = [];
    for (let at = 0; at < length; at += 1) {
      const bench = await prepared();
      let failures = 0;
      bench.disk.before = ({ kind, name }, count) => {
        if (count < at || (failures > 0 && howOften === 'once')) return;
        failures += 1;
        throw systemError(code, kind === 'syncData' ? 'fdatasync' : kind === 'sync' ? 'fsync' : name);
      };
      await live(bench);
      expect(failures).toBeGreaterThan(0);
      left.push(...bench.disk.openFiles.map((name) => `${name} after ${at} operations`));
    }
    expect(left).toEqual([]);
  });
});
