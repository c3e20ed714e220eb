/** When a checkpoint comes by itself, and when it does not. The clock of the timers is the test's. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FileStore } from '../../../src/server/store/json/file-store.ts';
import { History } from './history.ts';
import { StoreHarness } from './store-harness.ts';

const delayMilliseconds = 2000;
const megabyte = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

interface OpenHarness {
  readonly bench: StoreHarness;
  readonly store: FileStore;
  readonly history: History;
}

async function openHarness(walBytes = Number.MAX_SAFE_INTEGER): Promise<OpenHarness> {
  const bench = new StoreHarness();
  const store = await bench.open({ tuning: { delayMilliseconds, walBytes } });
  return { bench, store, history: new History() };
}

/** Lets all work be done that was begun: nothing of it takes longer than turns of the event loop. */
async function settle(): Promise<void> {
  for (let count = 0; count < 200; count += 1) await turn();
}

async function wait(): Promise<void> {
  await vi.advanceTimersByTimeAsync(delayMilliseconds);
  await settle();
}

const count = ({ events }: StoreHarness, name: string) => events.filter(({ event }) => event === name).length;

describe('a store that was written to', () => {
  test('has one a while after the first commit, and no other where nothing follows', async () => {
    const { bench, store, history } = await openHarness();
    await history.commit(store);
    await vi.advanceTimersByTimeAsync(delayMilliseconds - 1);
    await history.commit(store);
    await settle();
    expect(bench.events).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await settle();
    expect(bench.events).toMatchObject([{ event: 'checkpoint-written', sequence: 2 }]);
    await wait();
    expect(count(bench, 'checkpoint-written')).toBe(1);
  });

  test('of more than a megabyte has one only where the journal is an eighth of it', async () => {
    const { bench, store, history } = await openHarness();
    await history.commit(store, 1.5 * megabyte);
    await store.checkpoint();
    await history.commit(store, 0.1 * megabyte);
    await wait();
    expect(count(bench, 'checkpoint-written')).toBe(1);
    await history.commit(store, 0.15 * megabyte);
    await wait();
    expect(count(bench, 'checkpoint-written')).toBe(2);
  });

  test('of less than a megabyte has one for anything', async () => {
    const { bench, store, history } = await openHarness();
    await history.commit(store, 0.5 * megabyte);
    await store.checkpoint();
    await history.commit(store);
    await wait();
    expect(count(bench, 'checkpoint-written')).toBe(2);
  });
});

describe('one that fails', () => {
  test('is told, is tried again only after a while, and once it succeeds they come as before', async () => {
    const { bench, store, history } = await openHarness(1);
    bench.disk.failAt('ENOSPC', ({ name }) => name === 'iam.json.tmp');
    await history.commit(store, 10_000);
    await settle();
    expect(bench.events).toEqual([{ event: 'checkpoint-failed', error: expect.any(Error) }]);
    await history.commit(store, 10_000);
    await settle();
    expect(count(bench, 'checkpoint-failed')).toBe(1);
    await wait();
    expect(count(bench, 'checkpoint-failed')).toBe(2);
    bench.disk.heal();
    await history.commit(store, 10_000);
    await settle();
    expect(count(bench, 'checkpoint-written')).toBe(0);
    await wait();
    expect(count(bench, 'checkpoint-written')).toBe(1);
    await history.commit(store, 100_000);
    await settle();
    expect(count(bench, 'checkpoint-written')).toBe(2);
  });
});

/** By then the folder may be that of another server. */
test('after a close nothing is done any more, though the last checkpoint failed and another would be due', async () => {
  const { bench, store, history } = await openHarness();
  bench.disk.failAt('ENOSPC', ({ name }) => name === 'iam.json.tmp');
  await history.commit(store);
  await store.close();
  bench.disk.heal();
  const { length } = bench.disk.operations;
  await wait();
  expect(count(bench, 'checkpoint-failed')).toBe(1);
  expect(bench.disk.operations.slice(length)).toEqual([]);
});
