/**
 * No file stays open after a failure: Node 26 ends a process if a file handle is garbage-collected. Each operation of a
 * scenario fails in turn, once or permanently.
 */
import { describe, expect, test } from 'vitest';
import { type DiskOperation, systemError } from '../fake-disk.ts';
import { History } from '../history.ts';
import { files, StoreHarness } from '../store-harness.ts';

/** Opens, writes, checkpoints and closes a store, ignoring failures. */
async function runScenario(harness: StoreHarness): Promise<void> {
  const store = await harness.open().catch(() => undefined);
  if (!store) return;
  const history = new History();
  for (let round = 0; round < 3; round += 1) {
    await history.commits(store, 2).catch(() => undefined);
    await store.checkpoint().catch(() => undefined);
  }
  await history.commit(store).catch(() => undefined);
  await store.close().catch(() => undefined);
}

/** A store with a createTorn tail and an unfinished checkpoint. */
async function createTorn(): Promise<StoreHarness> {
  const harness = new StoreHarness();
  const store = await harness.open();
  await new History().commits(store, 3);
  harness.crash('nothing');
  harness.disk.plant(files.wal, Buffer.concat([harness.bytes(files.wal), Buffer.from('{"createTorn')]));
  harness.disk.plant(`${files.checkpoint}.tmp`, Buffer.from('{'));
  return harness;
}

async function operationsOf(harness: StoreHarness): Promise<readonly DiskOperation[]> {
  await runScenario(harness);
  return harness.disk.operations;
}

describe.each([
  ['a new store', async () => new StoreHarness()],
  ['a store after a crash', createTorn],
])('%s', (_, createHarness) => {
  test('has no open file after close', async () => {
    const harness = await createHarness();
    expect((await operationsOf(harness)).length).toBeGreaterThan(40);
    expect(harness.disk.openFiles).toEqual([]);
  });

  test.each([
    ['EIO', 'once'],
    ['ENOSPC', 'once'],
    ['EIO', 'permanently'],
    ['ENOSPC', 'permanently'],
  ])('has no open file when any operation fails with %s %s', async (code, howOften) => {
    const { length } = await operationsOf(await createHarness());
    const leaked: string[] = [];
    for (let at = 0; at < length; at += 1) {
      const harness = await createHarness();
      let failures = 0;
      harness.disk.before = ({ kind, name }, count) => {
        if (count < at || (failures > 0 && howOften === 'once')) return;
        failures += 1;
        throw systemError(code, kind === 'syncData' ? 'fdatasync' : kind === 'sync' ? 'fsync' : name);
      };
      await runScenario(harness);
      expect(failures).toBeGreaterThan(0);
      leaked.push(...harness.disk.openFiles.map((name) => `${name} after ${at} operations`));
    }
    expect(leaked).toEqual([]);
  });
});
