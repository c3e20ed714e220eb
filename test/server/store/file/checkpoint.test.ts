/** Checkpoints of a store under load: their triggers and their consistency. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeTemporaryFile } from '../../../../src/server/store/file/disk.ts';
import type { StoreEvent } from '../../../../src/server/store/file/events.ts';
import { FakeDisk } from '../fake-disk.ts';
import { countCommits, History } from '../history.ts';
import { type Folder, makeFolder, openStore } from '../temp-store.ts';

type CheckpointWritten = Extract<StoreEvent, { event: 'checkpoint-written' }>;

/** Records checkpoints, and lets a test wait for the next one. */
class Log {
  readonly written: CheckpointWritten[] = [];
  #notify: () => void = () => {};

  readonly log = (event: StoreEvent): void => {
    if (event.event !== 'checkpoint-written') return;
    this.written.push(event);
    this.#notify();
  };

  async checkpoints(count: number): Promise<void> {
    while (this.written.length < count) {
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
  }
}

describe('a checkpoint is written', () => {
  let folder: Folder;
  let log: Log;

  beforeEach(async () => {
    folder = await makeFolder();
    log = new Log();
  });
  afterEach(() => folder.remove());

  const never = { delayMilliseconds: Number.POSITIVE_INFINITY, walBytes: Number.MAX_SAFE_INTEGER };

  test('after the delay', async () => {
    const store = await openStore(folder.directory, { log: log.log, tuning: { ...never, delayMilliseconds: 5 } });
    await new History().commits(store, 3);
    await log.checkpoints(1);
    expect(log.written[0]?.sequence).toBeLessThanOrEqual(3);
    await store.close();
  });

  test('when the write-ahead log exceeds its limit, under load', async () => {
    const history = new History();
    const store = await openStore(folder.directory, { log: log.log, tuning: { ...never, walBytes: 5000 } });
    while (log.written.length < 3) await history.burst(store, 8);
    await store.close();
    const again = await openStore(folder.directory);
    expect(await history.resume(again)).toBe(history.attempted);
    await again.close();
  });

  test('at the stop, unless nothing changed', async () => {
    const store = await openStore(folder.directory, { log: log.log });
    await new History().commits(store, 2);
    await store.close();
    expect(log.written).toMatchObject([{ sequence: 2 }]);
    await (await openStore(folder.directory, { log: log.log })).close();
    expect(log.written).toHaveLength(1);
  });

  test('on request, and contains no concurrent writes', async () => {
    const history = new History();
    const store = await openStore(folder.directory, { log: log.log });
    await history.burst(store, 50);
    await Promise.all([store.checkpoint(), store.checkpoint(), history.burst(store, 50)]);
    expect(log.written).toHaveLength(1);
    expect(await countCommits(store)).toBe(100);
    await store.close();
    const again = await openStore(folder.directory);
    expect(await history.resume(again)).toBe(100);
    await again.close();
  });
});

test('a long file is synced while it is written: a commit waits for one piece of it at most', async () => {
  const disk = new FakeDisk();
  const mebibyte = Buffer.alloc(1024 * 1024);
  await writeTemporaryFile(disk, '/checkpoint', new Array<Buffer>(9).fill(mebibyte));
  const kinds = disk.operations.filter(({ name }) => name === 'checkpoint').map(({ kind }) => kind);
  const piece = ['write', 'write', 'write', 'write', 'syncData'];
  expect(kinds).toEqual(['open', ...piece, ...piece, 'write', 'sync']);
});
