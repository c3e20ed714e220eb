/** The schedule of checkpoints, with a timer that the test advances. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../../../src/server/store/file/file-store.ts';
import { createManualTimer } from '../../audit/manual-timer.ts';
import { History } from '../history.ts';
import { StoreHarness } from '../store-harness.ts';

const megabyte = 1024 * 1024;

interface OpenHarness {
  readonly harness: StoreHarness;
  readonly store: FileStore;
  readonly history: History;
  readonly timer: ReturnType<typeof createManualTimer>;
  /** Ends the delay, and waits until all work is done that it started. */
  wait(): Promise<void>;
}

async function openHarness(walBytes = Number.MAX_SAFE_INTEGER): Promise<OpenHarness> {
  const harness = new StoreHarness();
  const timer = createManualTimer();
  const store = await harness.open({ tuning: { walBytes }, timer });
  const wait = () => {
    timer.pass();
    return settle();
  };
  return { harness, store, history: new History(), timer, wait };
}

/** Waits until all started work is done, which takes a few event-loop turns. */
async function settle(): Promise<void> {
  for (let count = 0; count < 200; count += 1) await turn();
}

const count = ({ events }: StoreHarness, name: string) => events.filter(({ event }) => event === name).length;

describe('a checkpoint after writes', () => {
  test('is written after a delay from the first commit, and only once', async () => {
    const { harness, store, history, timer, wait } = await openHarness();
    await history.commit(store);
    await history.commit(store);
    await settle();
    expect([harness.events, timer.pending()]).toEqual([[], 1]);
    await wait();
    expect(harness.events).toMatchObject([{ event: 'checkpoint-written', sequence: 2 }]);
    await wait();
    expect(count(harness, 'checkpoint-written')).toBe(1);
  });

  test('of more than a megabyte is written only if the write-ahead log is half of it', async () => {
    const { harness, store, history, wait } = await openHarness();
    await history.commit(store, 1.5 * megabyte);
    await store.checkpoint();
    await history.commit(store, 0.7 * megabyte);
    await wait();
    expect(count(harness, 'checkpoint-written')).toBe(1);
    await history.commit(store, 0.15 * megabyte);
    await wait();
    expect(count(harness, 'checkpoint-written')).toBe(2);
  });

  test('of less than a megabyte is written after any commit', async () => {
    const { harness, store, history, wait } = await openHarness();
    await history.commit(store, 0.5 * megabyte);
    await store.checkpoint();
    await history.commit(store);
    await wait();
    expect(count(harness, 'checkpoint-written')).toBe(2);
  });
});

describe('a failed checkpoint', () => {
  test('is logged, is retried after a delay, and restores the schedule once it succeeds', async () => {
    const { harness, store, history, wait } = await openHarness(1);
    harness.disk.failAt('ENOSPC', ({ name }) => name === 'iam.json.tmp');
    await history.commit(store, 10_000);
    await settle();
    expect(harness.events).toEqual([{ event: 'checkpoint-failed', error: expect.any(Error) }]);
    await history.commit(store, 10_000);
    await settle();
    expect(count(harness, 'checkpoint-failed')).toBe(1);
    await wait();
    expect(count(harness, 'checkpoint-failed')).toBe(2);
    harness.disk.heal();
    await history.commit(store, 10_000);
    await settle();
    expect(count(harness, 'checkpoint-written')).toBe(0);
    await wait();
    expect(count(harness, 'checkpoint-written')).toBe(1);
    await history.commit(store, 100_000);
    await settle();
    expect(count(harness, 'checkpoint-written')).toBe(2);
  });
});

/** Another server may own the folder by then. */
test('a closed store writes nothing, even if the last checkpoint failed', async () => {
  const { harness, store, history, wait } = await openHarness();
  harness.disk.failAt('ENOSPC', ({ name }) => name === 'iam.json.tmp');
  await history.commit(store);
  await store.close();
  harness.disk.heal();
  const { length } = harness.disk.operations;
  await wait();
  expect(count(harness, 'checkpoint-failed')).toBe(1);
  expect(harness.disk.operations.slice(length)).toEqual([]);
});
