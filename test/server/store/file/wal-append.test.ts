/** Writing the write-ahead log: segments, statistics and disk failures. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../../../src/server/store/file/file-store.ts';
import { closedSegmentName } from '../../../../src/server/store/file/layout.ts';
import { StoreUnavailableError } from '../../../../src/server/store/store.ts';
import { History } from '../history.ts';
import { files, StoreHarness } from '../store-harness.ts';

async function openStore(): Promise<{ harness: StoreHarness; store: FileStore; history: History }> {
  const harness = new StoreHarness();
  const store = await harness.open();
  return { harness, store, history: new History() };
}

const eventsNamed = ({ events }: StoreHarness, name: string) => events.filter(({ event }) => event === name);

async function segments(harness: StoreHarness): Promise<string[]> {
  return (await harness.names()).filter((name) => name.startsWith('journal')).sort();
}

const rotations = ({ disk }: StoreHarness) =>
  disk.operations.filter(({ kind, name }) => kind === 'rename' && name.startsWith('journal.jsonl ')).length;

test('statistics contain the size, and the number and duration of syncs', async () => {
  const harness = new StoreHarness();
  let milliseconds = 0;
  const stopwatch = {
    now: () => {
      milliseconds += 500;
      return milliseconds;
    },
  };
  const store = await harness.open({ stopwatch });
  await new History().commits(store, 3);
  expect(store.diskStats?.()).toEqual({ walBytes: harness.bytes(files.wal).length, syncs: 3, syncSeconds: 1.5 });
});

test('statistics without a stopwatch contain no duration', async () => {
  const { store, history } = await openStore();
  await history.commit(store);
  expect(store.diskStats?.()).toMatchObject({ syncs: 1, syncSeconds: 0 });
});

test('commits of consecutive event-loop turns share one sync', async () => {
  const { store, history } = await openStore();
  const commits: Promise<void>[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    commits.push(history.commit(store));
    await setImmediate();
  }
  await Promise.all(commits);
  expect(store.diskStats?.()).toMatchObject({ syncs: 1 });
});

test('a batch does not wait without end while each turn brings a commit', async () => {
  const { store, history } = await openStore();
  const commits: Promise<void>[] = [];
  let isDurable = false;
  while (!isDurable && commits.length < 100) {
    const commit = history.commit(store).then(() => {
      isDurable = true;
    });
    commits.push(commit);
    await setImmediate();
  }
  expect(isDurable).toBe(true);
  await Promise.all(commits);
});

describe('segments', () => {
  test('are closed by each checkpoint and removed by the next one', async () => {
    const { harness, store, history } = await openStore();
    const seen: string[][] = [];
    for (let round = 0; round < 3; round += 1) {
      await history.commits(store, 2);
      await store.checkpoint();
      seen.push(await segments(harness));
    }
    expect(seen).toEqual([1, 3, 5].map((first) => [closedSegmentName(first), 'journal.jsonl']));
    harness.crash('everything');
    expect(await history.resume(await harness.open())).toBe(6);
  });

  test('are closed also after a single commit', async () => {
    const { harness, store, history } = await openStore();
    await history.commits(store, 3);
    await store.checkpoint();
    await history.commit(store);
    await store.checkpoint();
    expect(rotations(harness)).toBe(2);
  });

  test('are not closed twice for a retried checkpoint', async () => {
    const { harness, store, history } = await openStore();
    await history.commits(store, 3);
    harness.disk.failAt('ENOSPC', ({ name }) => name === 'iam.json.tmp');
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    harness.disk.heal();
    await store.checkpoint();
    expect(rotations(harness)).toBe(1);
    expect(await history.resume(await harness.open())).toBe(3);
  });

  test('of failed checkpoints are retained until one is written', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.failAt('ENOSPC', ({ name }) => name === 'iam.json.tmp');
    for (let round = 0; round < 3; round += 1) {
      await history.commits(store, 2);
      await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
    }
    expect(await segments(harness)).toHaveLength(4);
    harness.disk.heal();
    await history.commit(store);
    await store.checkpoint();
    await history.commit(store);
    await store.checkpoint();
    expect(await segments(harness)).toHaveLength(2);
    harness.crash('everything');
    expect(await history.resume(await harness.open())).toBe(8);
  });
});

describe('a disk that fails', () => {
  test('is reported by health after its first failure', async () => {
    const { harness, store, history } = await openStore();
    expect(store.health()).toEqual({ writable: true });
    harness.disk.failAt('EIO', ({ kind, name }) => kind === 'write' && name === 'journal.jsonl');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(harness.events).toEqual([{ event: 'write-failed', error: expect.any(Error) }]);
    expect(store.health()).toMatchObject({ writable: false, permanent: false });
  });

  test('permanently after a temporary failure is reported as permanent', async () => {
    const { harness, store, history } = await openStore();
    harness.disk.failAt('ENOSPC', ({ kind, name }) => kind === 'write' && name === 'journal.jsonl');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    harness.disk.failAt('EIO', ({ kind }) => kind === 'syncData');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    expect(store.health()).toMatchObject({ writable: false, permanent: true });
  });

  test('on a folder sync is logged once', async () => {
    const { harness, store, history } = await openStore();
    await history.commit(store);
    harness.disk.failAt('EIO', ({ kind }) => kind === 'syncFolder');
    await expect(store.checkpoint()).rejects.toThrow('EIO');
    expect(eventsNamed(harness, 'writes-stopped')).toHaveLength(1);
    expect(eventsNamed(harness, 'checkpoint-failed')).toHaveLength(1);
  });

  test.each(['open', 'write'])('at the %s of the next segment puts the rotation off', async (kind) => {
    for (const code of ['EIO', 'ENOSPC']) {
      const { harness, store, history } = await openStore();
      await history.commit(store);
      harness.disk.failAt(code, (operation) => operation.kind === kind && operation.name === 'journal.next.jsonl');
      await expect(store.checkpoint()).rejects.toThrow(code);
      expect(store.health()).toEqual({ writable: true });
      expect(await segments(harness)).toEqual(['journal.jsonl']);
    }
  });

  test('once during activation of the next segment stops all writes and checkpoints', async () => {
    for (const kind of ['rename', 'syncFolder']) {
      const { harness, store, history } = await openStore();
      await history.commit(store);
      const before = harness.bytes(files.checkpoint);
      let renamed = false;
      let failures = 0;
      harness.disk.failAt('EIO', (operation) => {
        renamed ||= operation.kind === 'rename' && operation.name.startsWith('journal.jsonl ');
        if (!renamed || operation.kind !== kind) return false;
        failures += 1;
        return failures === 1;
      });
      await expect(store.checkpoint()).rejects.toThrow('EIO');
      expect(store.health()).toMatchObject({ writable: false, permanent: true });
      expect(harness.bytes(files.checkpoint)).toEqual(before);
      await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    }
  });

  test('is not used after a permanent failure', async () => {
    const { harness, store, history } = await openStore();
    await history.commit(store);
    harness.disk.failAt('EIO', ({ kind }) => kind === 'syncData');
    await expect(history.commit(store)).rejects.toThrow(StoreUnavailableError);
    harness.disk.heal();
    const { length } = harness.disk.operations;
    await expect(store.checkpoint()).rejects.toThrow(StoreUnavailableError);
    expect(harness.disk.operations.slice(length)).toEqual([]);
  });
});
