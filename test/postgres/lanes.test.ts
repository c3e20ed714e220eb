/** Changes that wait for a lane while others wait for the database. */
import { expect, test } from 'vitest';
import type { Timer } from '../../src/server/lib/timer.ts';
import { Lanes } from '../../src/server/store/postgres/lanes.ts';
import { StoreUnavailableError } from '../../src/server/store/store.ts';

/** Runs what waits for a delay when the test says so. */
class ManualTimer implements Timer {
  readonly #waiting = new Set<() => void>();

  get count(): number {
    return this.#waiting.size;
  }

  after(_milliseconds: number, work: () => void): () => void {
    this.#waiting.add(work);
    return () => this.#waiting.delete(work);
  }

  expireAll(): void {
    for (const work of [...this.#waiting]) work();
    this.#waiting.clear();
  }
}

function createHeld() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}

test('are refused after the longest wait without having run, and the lane is free for the next', async () => {
  const timer = new ManualTimer();
  const lanes = new Lanes(1, timer);
  const { held, release } = createHeld();
  const first = lanes.run(() => held);
  let hasRun = false;
  const refused = [lanes.run, lanes.runAlone].map((run) =>
    run.call(lanes, async () => {
      hasRun = true;
    }),
  );
  expect(timer.count).toBe(2);
  timer.expireAll();
  for (const change of refused) await expect(change).rejects.toBeInstanceOf(StoreUnavailableError);
  release();
  await first;
  expect(await lanes.run(async () => 'next')).toBe('next');
  expect([hasRun, timer.count]).toEqual([false, 0]);
});

test('run beside each other once the one that had to run alone is refused', async () => {
  const timer = new ManualTimer();
  const lanes = new Lanes(2, timer);
  const { held, release } = createHeld();
  const first = lanes.run(() => held);
  const alone = lanes.runAlone(async () => undefined);
  timer.expireAll();
  await expect(alone).rejects.toBeInstanceOf(StoreUnavailableError);
  expect(await lanes.run(async () => 'second lane')).toBe('second lane');
  release();
  await first;
});
