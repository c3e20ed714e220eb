/** A disk that is full, writes short or fails: what callers see, and what is left. */
import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../../src/server/store/json/file-store.ts';
import { StoreUnavailableError } from '../../../src/server/store/store.ts';
import type { DiskOperation } from './fake-disk.ts';
import { countCommits, History } from './history.ts';
import { files, StoreHarness } from './store-harness.ts';

async function openStore(): Promise<{ bench: StoreHarness; store: FileStore; history: History }> {
  const bench = new StoreHarness();
  const store = await bench.open();
  const history = new History();
  await history.commits(store, 3);
  return { bench, store, history };
}

function usedBytes(bench: StoreHarness): number {
  return Object.values(files).reduce((sum, file) => sum + (bench.disk.contents(file)?.length ?? 0), 0);
}

const onJournal = (kind: DiskOperation['kind']) => (operation: DiskOperation) =>
  operation.kind === kind && operation.name === 'journal.jsonl';

describe('a full disk', () => {
  test.each([0, 1, 100])(
    'refuses a write with %i bytes of room, and takes writes again when there is space',
    async (room) => {
      const { bench, store, history } = await openStore();
      const journal = bench.bytes(files.wal);
      bench.disk.capacity = usedBytes(bench) + 100 + room;
      await expect(history.commit(store, 5000)).rejects.toThrow(StoreUnavailableError);
      expect(await countCommits(store)).toBe(3);
      expect(store.health()).toMatchObject({ writable: false, permanent: false });
      expect(bench.bytes(files.wal)).toEqual(journal);
      bench.disk.capacity = Number.POSITIVE_INFINITY;
      history.attempted = 3;
      await history.commit(store);
      expect(store.health()).toEqual({ writable: true });
      expect(await history.resume(await bench.open())).toBe(4);
    },
  );

  test('drops the whole batch and everything built upon it', async () => {
    const { bench, store, history } = await openStore();
    bench.disk.capacity = usedBytes(bench) + 900;
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => history.commit(store)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await countCommits(store)).toBe(3);
    bench.crash('nothing');
    expect(await countCommits(await bench.open())).toBe(3);
  });

  test('while a checkpoint is written leaves the one that was there, and no temporary file', async () => {
    const { bench, store, history } = await openStore();
    const before = bench.bytes(files.checkpoint);
    bench.disk.capacity = usedBytes(bench) + 200;
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    expect(bench.bytes(files.checkpoint)).toEqual(before);
    expect((await bench.names()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    bench.disk.capacity = Number.POSITIVE_INFINITY;
    await history.commit(store);
    await store.checkpoint();
    expect(await history.resume(await bench.open())).toBe(4);
  });

  test('while the journal is rotated leaves the store writable', async () => {
    const { bench, store, history } = await openStore();
    bench.disk.failAt('ENOSPC', ({ name }) => name === 'journal.next.jsonl');
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    bench.disk.heal();
    await history.commit(store);
    await store.checkpoint();
    expect(await history.resume(await bench.open())).toBe(4);
  });
});

describe('writes that take only part of the bytes', () => {
  test.each([1, 7, 512])('of %i bytes each are repeated until all is written', async (length) => {
    const bench = new StoreHarness();
    bench.disk.longestWrite = length;
    const history = new History();
    const store = await bench.open();
    await history.commits(store, 3);
    await store.checkpoint();
    await history.commit(store);
    bench.crash('everything');
    expect(await history.resume(await bench.open())).toBe(4);
  });
});

describe('a failed sync', () => {
  test('of the journal ends all writing; reading goes on, and a second try is not counted as success', async () => {
    const { bench, store, history } = await openStore();
    bench.disk.failAt('EIO', onJournal('syncData'));
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    bench.disk.heal();
    expect(store.health()).toMatchObject({ writable: false, permanent: true, reason: expect.stringContaining('EIO') });
    await expect(store.transaction(async () => {})).rejects.toThrow(StoreUnavailableError);
    expect(await countCommits(store)).toBe(3);
    expect(bench.disk.operations.filter(onJournal('syncData'))).toHaveLength(3);
    expect(bench.events).toContainEqual({ event: 'writes-stopped', error: expect.any(Error) });
    await store.close();
    await history.resume(await bench.open());
  });

  test.each([
    ['a checkpoint', 'sync', 'iam.json.tmp'],
    ['the next segment', 'sync', 'journal.next.jsonl'],
    ['the folder', 'syncFolder', 'store'],
  ] as const)('of %s ends all writing', async (_, kind, name) => {
    const { bench, store, history } = await openStore();
    bench.disk.failAt('EIO', (operation) => operation.kind === kind && operation.name === name);
    await expect(store.checkpoint()).rejects.toThrow('EIO');
    bench.disk.heal();
    expect(store.health()).toMatchObject({ permanent: true });
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    history.attempted = 3;
    bench.crash('everything');
    expect(await history.resume(await bench.open())).toBe(3);
  });

  test('after a write that could not be taken back ends all writing', async () => {
    const { bench, store, history } = await openStore();
    bench.disk.failAt('EIO', (operation) => onJournal('write')(operation) || onJournal('truncate')(operation));
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(store.health()).toMatchObject({ permanent: true });
  });
});

describe('a folder that the system refuses', () => {
  test.each(['EACCES', 'EROFS', 'EMFILE', 'EIO'])(
    'with %s at any step of the first start is an error of its own',
    async (code) => {
      for (let at = 0; ; at += 1) {
        const bench = new StoreHarness();
        let failed = false;
        bench.disk.failAt(code, (_, count) => {
          failed ||= count === at;
          return count === at;
        });
        const outcome = await bench.open().catch((error: unknown) => error);
        if (!failed) return;
        expect(outcome).toMatchObject({ name: 'StoreOpenError', kind: 'io', message: expect.stringContaining(code) });
        bench.disk.heal();
        const history = new History();
        const store = await bench.open();
        expect(store.fresh).toBe(true);
        await history.commit(store);
      }
    },
  );
});

test('a thousand writes at once are made durable with few syncs', async () => {
  const { bench, store, history } = await openStore();
  const before = bench.disk.operations.filter(onJournal('syncData')).length;
  await history.burst(store, 1000);
  expect(bench.disk.operations.filter(onJournal('syncData')).length - before).toBeLessThan(40);
  bench.crash('everything');
  expect(await history.resume(await bench.open())).toBe(1003);
});
