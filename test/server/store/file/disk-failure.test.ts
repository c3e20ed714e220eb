/** Full and failing disks, and partial writes: errors for callers and the resulting state. */
import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../../../src/server/store/file/file-store.ts';
import { StoreUnavailableError } from '../../../../src/server/store/store.ts';
import { type DiskOperation, systemError } from '../fake-disk.ts';
import { countCommits, History } from '../history.ts';
import { files, StoreHarness } from '../store-harness.ts';

async function openStore(): Promise<{ harness: StoreHarness; store: FileStore; history: History }> {
  const harness = new StoreHarness();
  const store = await harness.open();
  const history = new History();
  await history.commits(store, 3);
  return { harness, store, history };
}

function usedBytes(harness: StoreHarness): number {
  return Object.values(files).reduce((sum, file) => sum + (harness.disk.contents(file)?.length ?? 0), 0);
}

const onWal = (kind: DiskOperation['kind']) => (operation: DiskOperation) =>
  operation.kind === kind && operation.name === 'journal.jsonl';

describe('a full disk', () => {
  test.each([0, 1, 100])('rejects a write with %i bytes left, and accepts writes once there is space', async (room) => {
    const { harness, store, history } = await openStore();
    const wal = harness.bytes(files.wal);
    harness.disk.capacity = usedBytes(harness) + 100 + room;
    await expect(history.commit(store, 5000)).rejects.toThrow(StoreUnavailableError);
    expect(await countCommits(store)).toBe(3);
    expect(store.health()).toMatchObject({ writable: false, permanent: false });
    expect(harness.bytes(files.wal)).toEqual(wal);
    harness.disk.capacity = Number.POSITIVE_INFINITY;
    history.attempted = 3;
    await history.commit(store);
    expect(store.health()).toEqual({ writable: true });
    expect(await history.resume(await harness.open())).toBe(4);
  });

  test('drops the whole batch and all transactions that depend on it', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.capacity = usedBytes(harness) + 900;
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => history.commit(store)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await countCommits(store)).toBe(3);
    harness.crash('nothing');
    expect(await countCommits(await harness.open())).toBe(3);
  });

  test('during a checkpoint retains the previous one and leaves no temporary file', async () => {
    const { harness, store, history } = await openStore();
    const before = harness.bytes(files.checkpoint);
    harness.disk.capacity = usedBytes(harness) + 200;
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    expect(harness.bytes(files.checkpoint)).toEqual(before);
    expect((await harness.names()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    harness.disk.capacity = Number.POSITIVE_INFINITY;
    await history.commit(store);
    await store.checkpoint();
    expect(await history.resume(await harness.open())).toBe(4);
  });

  test('during a rotation of the write-ahead log leaves the store writable', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.failAt('ENOSPC', ({ name }) => name === 'journal.next.jsonl');
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    harness.disk.heal();
    await history.commit(store);
    await store.checkpoint();
    expect(await history.resume(await harness.open())).toBe(4);
  });
});

/** Fails matching operations for want of a descriptor: also a sync of a folder, which opens it. */
function failToOpen(harness: StoreHarness, matches: Matcher, code = 'EMFILE'): void {
  harness.disk.before = (operation) => {
    if (matches(operation)) throw systemError(code, 'open');
  };
}

type Matcher = (operation: DiskOperation) => boolean;

/** Matches operations from the nth match on, or only up to one. */
function matchRange(matches: Matcher, { from = 1, to = Number.POSITIVE_INFINITY }): Matcher {
  let count = 0;
  return (operation) => {
    if (!matches(operation)) return false;
    count += 1;
    return count >= from && count <= to;
  };
}

describe('a rotation that lacks something', () => {
  const onNext = ({ name }: DiskOperation) => name === 'journal.next.jsonl';
  const onFolder = ({ kind, name }: DiskOperation) => kind === 'syncFolder' && name === 'store';

  test.each(['EMFILE', 'ENFILE', 'EACCES', 'ENOMEM', 'EIO'])(
    'is put off while %s prevents the next segment; writes continue',
    async (code) => {
      const { harness, store, history } = await openStore();
      failToOpen(harness, onNext, code);
      for (let round = 0; round < 3; round += 1) {
        await expect(store.checkpoint()).rejects.toThrow(code);
        await history.commit(store);
        expect(store.health()).toEqual({ writable: true });
      }
      harness.disk.heal();
      await store.checkpoint();
      await history.commit(store);
      expect(await harness.names()).toContain('journal.000000000001.jsonl');
      harness.crash('everything');
      expect(await history.resume(await harness.open())).toBe(7);
    },
  );

  test('is tried again without further writes', async () => {
    const harness = new StoreHarness();
    const store = await harness.open({ tuning: { delayMilliseconds: 1 } });
    failToOpen(
      harness,
      matchRange(({ kind, name }) => kind === 'open' && name === 'journal.next.jsonl', { to: 3 }),
    );
    const history = new History();
    await history.commit(store);
    await expect.poll(() => harness.events.map(({ event }) => event)).toContain('checkpoint-written');
    expect(harness.events.filter(({ event }) => event === 'checkpoint-failed')).toHaveLength(3);
    await store.close();
  });

  // The syncs of a folder in a rotation: the prepared segment, the first rename, the second rename.
  test.each([2, 3])('rejects writes while sync %i of the folder is put off, then completes it', async (failing) => {
    const { harness, store, history } = await openStore();
    failToOpen(harness, matchRange(onFolder, { from: failing }));
    await expect(store.checkpoint()).rejects.toThrow('EMFILE');
    expect(store.health()).toMatchObject({
      writable: false,
      permanent: false,
      reason: expect.stringContaining('EMFILE'),
    });
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(await countCommits(store)).toBe(3);
    history.attempted = 3;
    // A crash at this point finds all acknowledged commits.
    for (const loss of ['nothing', 'everything'] as const) {
      const crashed = new StoreHarness(harness.disk.afterCrash(loss));
      expect(await countCommits(await crashed.open())).toBe(3);
    }
    harness.disk.heal();
    await history.commit(store);
    expect(store.health()).toEqual({ writable: true });
    await store.checkpoint();
    harness.crash('everything');
    expect(await history.resume(await harness.open())).toBe(4);
  });

  test.each([1, 2])('completes a rename %i that was not permitted', async (failing) => {
    const { harness, store, history } = await openStore();
    failToOpen(
      harness,
      matchRange(({ kind }) => kind === 'rename', { from: failing }),
      'EACCES',
    );
    await expect(store.checkpoint()).rejects.toThrow('EACCES');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    history.attempted = 3;
    harness.disk.heal();
    await store.checkpoint();
    await history.commit(store);
    harness.crash('everything');
    expect(await history.resume(await harness.open())).toBe(4);
  });

  test('leaves no open file when the store is closed meanwhile', async () => {
    const { harness, store } = await openStore();
    failToOpen(harness, matchRange(onFolder, { from: 2 }));
    await expect(store.checkpoint()).rejects.toThrow('EMFILE');
    await store.close();
    expect(harness.disk.openFiles).toEqual([]);
  });

  test('stops all writes if a rename fails on the disk', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.failAt('EIO', ({ kind }) => kind === 'rename');
    await expect(store.checkpoint()).rejects.toThrow('EIO');
    harness.disk.heal();
    expect(store.health()).toMatchObject({ permanent: true });
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
  });
});

test.each(['EMFILE', 'EACCES', 'ENOMEM'])('a checkpoint that fails with %s is written later', async (code) => {
  const { harness, store, history } = await openStore();
  failToOpen(harness, ({ name }) => name === 'iam.json.tmp', code);
  await expect(store.checkpoint()).rejects.toThrow(code);
  await history.commit(store);
  expect(store.health()).toEqual({ writable: true });
  harness.disk.heal();
  await store.checkpoint();
  harness.crash('everything');
  expect(await history.resume(await harness.open())).toBe(4);
});

describe('a start on a full disk', () => {
  test('serves reads and says so in health and log; writes are accepted once there is space', async () => {
    const { harness, store } = await openStore();
    await store.close();
    harness.disk.failAt('ENOSPC', ({ kind }) => kind === 'write');
    const started = await harness.open();
    expect(await countCommits(started)).toBe(3);
    expect(started.health()).toMatchObject({
      writable: false,
      permanent: false,
      reason: expect.stringContaining('ENOSPC'),
    });
    expect(harness.events).toContainEqual({ event: 'write-failed', error: expect.any(Error) });
    const history = new History(3);
    await expect(history.commit(started)).rejects.toThrow(StoreUnavailableError);
    history.attempted = 3;
    harness.disk.heal();
    await history.commit(started);
    expect(started.health()).toEqual({ writable: true });
    await started.close();
    expect(await history.resume(await harness.open())).toBe(4);
  });

  test('with a torn tail serves reads, and keeps the tail aside once there is space', async () => {
    const { harness, store } = await openStore();
    const complete = harness.bytes(files.wal);
    await new History(3).commit(store);
    harness.crash('nothing');
    const torn = harness.bytes(files.wal).subarray(0, -7);
    harness.disk.plant(files.wal, torn);
    harness.disk.failAt('ENOSPC', ({ kind }) => kind === 'write');
    const started = await harness.open();
    expect(await countCommits(started)).toBe(3);
    expect(started.health()).toMatchObject({ writable: false, reason: expect.stringContaining('ENOSPC') });
    const history = new History(3);
    await expect(history.commit(started)).rejects.toThrow(StoreUnavailableError);
    expect(harness.bytes(files.wal)).toEqual(torn);
    history.attempted = 3;
    harness.disk.heal();
    await history.commit(started);
    expect(harness.bytes('/store/journal.4.broken')).toEqual(torn.subarray(complete.length));
    harness.crash('everything');
    expect(await history.resume(await harness.open())).toBe(4);
  });

  test('is refused for a new store, which leaves a folder that a later start uses', async () => {
    const harness = new StoreHarness();
    harness.disk.failAt('ENOSPC', ({ kind }) => kind === 'write');
    expect(await harness.catchOpenError()).toMatchObject({ kind: 'io', message: expect.stringContaining('ENOSPC') });
    harness.disk.heal();
    expect((await harness.open()).fresh).toBe(true);
  });
});

describe('partial writes', () => {
  test.each([1, 7, 512])('of %i bytes each continue until all bytes are written', async (length) => {
    const harness = new StoreHarness();
    harness.disk.maxWriteBytes = length;
    const history = new History();
    const store = await harness.open();
    await history.commits(store, 3);
    await store.checkpoint();
    await history.commit(store);
    harness.crash('everything');
    expect(await history.resume(await harness.open())).toBe(4);
  });
});

describe('a failed sync', () => {
  test('of the write-ahead log stops all writes; reads continue, and a retry does not count as success', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.failAt('EIO', onWal('syncData'));
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    harness.disk.heal();
    expect(store.health()).toMatchObject({ writable: false, permanent: true, reason: expect.stringContaining('EIO') });
    await expect(store.transaction(async () => {})).rejects.toThrow(StoreUnavailableError);
    expect(await countCommits(store)).toBe(3);
    // Of the start, and of the three commits before.
    expect(harness.disk.operations.filter(onWal('syncData'))).toHaveLength(4);
    expect(harness.events).toContainEqual({ event: 'writes-stopped', error: expect.any(Error) });
    await store.close();
    await history.resume(await harness.open());
  });

  test.each([
    ['a checkpoint', 'sync', 'iam.json.tmp'],
    ['the next segment', 'sync', 'journal.next.jsonl'],
    ['the folder', 'syncFolder', 'store'],
  ] as const)('of %s stops all writes', async (_, kind, name) => {
    const { harness, store, history } = await openStore();
    harness.disk.failAt('EIO', (operation) => operation.kind === kind && operation.name === name);
    await expect(store.checkpoint()).rejects.toThrow('EIO');
    harness.disk.heal();
    expect(store.health()).toMatchObject({ permanent: true });
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    history.attempted = 3;
    harness.crash('everything');
    expect(await history.resume(await harness.open())).toBe(3);
  });

  test('of a truncation after a failed write stops all writes', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.failAt('ENOSPC', (operation) => onWal('write')(operation) || onWal('syncData')(operation));
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(store.health()).toMatchObject({ permanent: true });
  });

  test('does not follow from a truncation for which there is no space: the next write repeats it', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.capacity = usedBytes(harness) + 300;
    harness.disk.failAt('ENOSPC', onWal('truncate'));
    await expect(history.commit(store, 5000)).rejects.toThrow(StoreUnavailableError);
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(store.health()).toMatchObject({ writable: false, permanent: false });
    history.attempted = 3;
    harness.disk.heal();
    harness.disk.capacity = Number.POSITIVE_INFINITY;
    await history.commit(store);
    expect(store.health()).toEqual({ writable: true });
    harness.crash('everything');
    expect(await history.resume(await harness.open())).toBe(4);
  });

  test('after a write that can not be truncated stops all writes', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.failAt('EIO', (operation) => onWal('write')(operation) || onWal('truncate')(operation));
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(store.health()).toMatchObject({ permanent: true });
  });
});

describe('a folder with a system error', () => {
  test.each(['EACCES', 'EROFS', 'EMFILE', 'EIO'])(
    'with %s at any step of the first start is reported as StoreOpenError',
    async (code) => {
      for (let at = 0; ; at += 1) {
        const harness = new StoreHarness();
        let failed = false;
        harness.disk.failAt(code, (_, count) => {
          failed ||= count === at;
          return count === at;
        });
        const outcome = await harness.open().catch((error: unknown) => error);
        if (!failed) return;
        expect(outcome).toMatchObject({ name: 'StoreOpenError', kind: 'io', message: expect.stringContaining(code) });
        harness.disk.heal();
        const history = new History();
        const store = await harness.open();
        expect(store.fresh).toBe(true);
        await history.commit(store);
      }
    },
  );
});

test('a thousand concurrent writes need few syncs', async () => {
  const { harness, store, history } = await openStore();
  const before = harness.disk.operations.filter(onWal('syncData')).length;
  await history.burst(store, 1000);
  expect(harness.disk.operations.filter(onWal('syncData')).length - before).toBeLessThan(40);
  harness.crash('everything');
  expect(await history.resume(await harness.open())).toBe(1003);
});
