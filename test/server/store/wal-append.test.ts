/** The journal while it is written: its segments, its figures, and what is told of a disk that fails. */
import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../../src/server/store/json/file-store.ts';
import { closedSegmentName } from '../../../src/server/store/json/layout.ts';
import { StoreUnavailableError } from '../../../src/server/store/store.ts';
import { History } from './history.ts';
import { files, StoreHarness } from './store-harness.ts';

async function openStore(): Promise<{ bench: StoreHarness; store: FileStore; history: History }> {
  const bench = new StoreHarness();
  const store = await bench.open();
  return { bench, store, history: new History() };
}

const told = ({ events }: StoreHarness, name: string) => events.filter(({ event }) => event === name);

async function segments(bench: StoreHarness): Promise<string[]> {
  return (await bench.names()).filter((name) => name.startsWith('journal')).sort();
}

const rotations = ({ disk }: StoreHarness) =>
  disk.operations.filter(({ kind, name }) => kind === 'rename' && name.startsWith('journal.jsonl ')).length;

test('figures tell the size, the syncs and how long they took', async () => {
  const bench = new StoreHarness();
  let milliseconds = 0;
  const stopwatch = {
    now: () => {
      milliseconds += 500;
      return milliseconds;
    },
  };
  const store = await bench.open({ stopwatch });
  await new History().commits(store, 3);
  expect(store.diskStats?.()).toEqual({ walBytes: bench.bytes(files.wal).length, syncs: 3, syncSeconds: 1.5 });
});

test('without a stopwatch nothing is told of time', async () => {
  const { store, history } = await openStore();
  await history.commit(store);
  expect(store.diskStats?.()).toMatchObject({ syncs: 1, syncSeconds: 0 });
});

describe('segments', () => {
  test('end with each checkpoint, and go with the one after it', async () => {
    const { bench, store, history } = await openStore();
    const seen: string[][] = [];
    for (let round = 0; round < 3; round += 1) {
      await history.commits(store, 2);
      await store.checkpoint();
      seen.push(await segments(bench));
    }
    expect(seen).toEqual([1, 3, 5].map((first) => [closedSegmentName(first), 'journal.jsonl']));
    bench.crash('everything');
    expect(await history.resume(await bench.open())).toBe(6);
  });

  test('end also where there is a single commit in one', async () => {
    const { bench, store, history } = await openStore();
    await history.commits(store, 3);
    await store.checkpoint();
    await history.commit(store);
    await store.checkpoint();
    expect(rotations(bench)).toBe(2);
  });

  test('do not end twice for a checkpoint that is tried again', async () => {
    const { bench, store, history } = await openStore();
    await history.commits(store, 3);
    bench.disk.failAt('ENOSPC', ({ name }) => name === 'iam.json.tmp');
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    bench.disk.heal();
    await store.checkpoint();
    expect(rotations(bench)).toBe(1);
    expect(await history.resume(await bench.open())).toBe(3);
  });

  test('of checkpoints that failed stay until one is written', async () => {
    const { bench, store, history } = await openStore();
    bench.disk.failAt('ENOSPC', ({ name }) => name === 'iam.json.tmp');
    for (let round = 0; round < 3; round += 1) {
      await history.commits(store, 2);
      await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    }
    expect(await segments(bench)).toHaveLength(4);
    bench.disk.heal();
    await history.commit(store);
    await store.checkpoint();
    await history.commit(store);
    await store.checkpoint();
    expect(await segments(bench)).toHaveLength(2);
    bench.crash('everything');
    expect(await history.resume(await bench.open())).toBe(8);
  });
});

describe('a disk that fails', () => {
  test('is told of once it does: before, writes are taken', async () => {
    const { bench, store, history } = await openStore();
    expect(store.health()).toEqual({ writable: true });
    bench.disk.failAt('EIO', ({ kind, name }) => kind === 'write' && name === 'journal.jsonl');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(bench.events).toEqual([{ event: 'write-failed', error: expect.any(Error) }]);
    expect(store.health()).toMatchObject({ writable: false, permanent: false });
  });

  test('for good after it did for a while is taken for failed for good', async () => {
    const { bench, store, history } = await openStore();
    bench.disk.failAt('ENOSPC', ({ kind, name }) => kind === 'write' && name === 'journal.jsonl');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    bench.disk.failAt('EIO', ({ kind }) => kind === 'syncData');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(store.health()).toMatchObject({ writable: false, permanent: true });
  });

  test('in the folder is told once, by its first failure', async () => {
    const { bench, store, history } = await openStore();
    await history.commit(store);
    bench.disk.failAt('EIO', ({ kind }) => kind === 'syncFolder');
    await expect(store.checkpoint()).rejects.toThrow('EIO');
    expect(told(bench, 'writes-stopped')).toHaveLength(1);
    expect(told(bench, 'checkpoint-failed')).toHaveLength(1);
  });

  test.each(['open', 'write'])('at the %s of the next segment ends all writing, unless it is full', async (kind) => {
    for (const [code, permanent] of [
      ['EIO', true],
      ['ENOSPC', undefined],
    ] as const) {
      const { bench, store, history } = await openStore();
      await history.commit(store);
      bench.disk.failAt(code, (operation) => operation.kind === kind && operation.name === 'journal.next.jsonl');
      await expect(store.checkpoint()).rejects.toThrow(code);
      expect(store.health().writable).toBe(permanent === undefined);
      expect(store.health()).toMatchObject(permanent ? { permanent } : {});
      expect(await segments(bench)).toEqual(['journal.jsonl']);
    }
  });

  test('once, while the next segment is put in place, ends all writing, and no checkpoint rests on that segment', async () => {
    for (const kind of ['rename', 'syncFolder']) {
      const { bench, store, history } = await openStore();
      await history.commit(store);
      const before = bench.bytes(files.checkpoint);
      let renamed = false;
      let failures = 0;
      bench.disk.failAt('EIO', (operation) => {
        renamed ||= operation.kind === 'rename' && operation.name.startsWith('journal.jsonl ');
        if (!renamed || operation.kind !== kind) return false;
        failures += 1;
        return failures === 1;
      });
      await expect(store.checkpoint()).rejects.toThrow('EIO');
      expect(store.health()).toMatchObject({ writable: false, permanent: true });
      expect(bench.bytes(files.checkpoint)).toEqual(before);
      await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    }
  });

  test('is not touched any more once it failed for good', async () => {
    const { bench, store, history } = await openStore();
    await history.commit(store);
    bench.disk.failAt('EIO', ({ kind }) => kind === 'syncData');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    bench.disk.heal();
    const { length } = bench.disk.operations;
    await expect(store.checkpoint()).rejects.toThrow(StoreUnavailableError);
    expect(bench.disk.operations.slice(length)).toEqual([]);
  });
});
