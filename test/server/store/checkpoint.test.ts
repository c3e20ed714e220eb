/** When a checkpoint is written, and that it holds one moment of a store which goes on meanwhile. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoreEvent } from '../../../src/server/store/json/events.ts';
import { countCommits, History } from './history.ts';
import { type Folder, makeFolder, openStore } from './temp-store.ts';

type CheckpointWritten = Extract<StoreEvent, { event: 'checkpoint-written' }>;

/** Keeps what was logged, and lets a test wait for the next checkpoint. */
class Log {
  readonly written: CheckpointWritten[] = [];
  #heard: () => void = () => {};

  readonly log = (event: StoreEvent): void => {
    if (event.event !== 'checkpoint-written') return;
    this.written.push(event);
    this.#heard();
  };

  async checkpoints(count: number): Promise<void> {
    while (this.written.length < count) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
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

  const never = { delayMilliseconds: 1_000_000, journalBytes: Number.MAX_SAFE_INTEGER };

  test('when nothing was written for a while', async () => {
    const store = await openStore(folder.directory, { log: log.log, tuning: { ...never, delayMilliseconds: 5 } });
    await new History().commits(store, 3);
    await log.checkpoints(1);
    expect(log.written[0]?.sequence).toBeLessThanOrEqual(3);
    await store.close();
  });

  test('when the journal has grown, while writing goes on', async () => {
    const history = new History();
    const store = await openStore(folder.directory, { log: log.log, tuning: { ...never, walBytes: 5000 } });
    while (log.written.length < 3) await history.burst(store, 8);
    await store.close();
    const again = await openStore(folder.directory);
    expect(await history.resume(again)).toBe(history.attempted);
    await again.close();
  });

  test('at the stop, unless there is nothing new', async () => {
    const store = await openStore(folder.directory, { log: log.log });
    await new History().commits(store, 2);
    await store.close();
    expect(log.written).toMatchObject([{ sequence: 2 }]);
    await (await openStore(folder.directory, { log: log.log })).close();
    expect(log.written).toHaveLength(1);
  });

  test('when asked for, and holds no part of what is written meanwhile', async () => {
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
