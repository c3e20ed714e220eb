/**
 * Crashes at every operation on the disk, with everything or nothing of the unsynced left behind. Random lives and losses
 * are the simulator of test/stress, of which its tests run a part.
 */
import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../../src/server/store/json/file-store.ts';
import { failpoints } from './failpoints.ts';
import type { DiskOperation, Loss } from './fake-disk.ts';
import { History } from './history.ts';
import { createSeededRandom } from './random.ts';
import { StoreHarness } from './store-harness.ts';

/** A life with everything in it: a first start, single commits and bursts, checkpoints, a stop, a second start. */
async function runCommits(bench: StoreHarness, history: History): Promise<void> {
  const first = await bench.open();
  await attempt(first, async () => {
    await history.commits(first, 2);
    await history.burst(first, 6);
    await first.checkpoint();
    await history.commit(first, 1500);
    await Promise.all([history.burst(first, 5), first.checkpoint()]);
    await history.commit(first);
  });
  const second = await bench.open();
  await attempt(second, async () => {
    await history.burst(second, 3);
    await second.checkpoint();
    await history.commit(second);
  });
}

/** Closes the store also where the life was cut short: what is dead can't write any more. */
async function attempt(store: FileStore, life: () => Promise<void>): Promise<void> {
  try {
    await life();
  } finally {
    await store.close().catch(() => {});
  }
}

async function runUntilCrash(
  bench: StoreHarness,
  fits: (operation: DiskOperation, count: number) => boolean,
): Promise<History> {
  const history = new History();
  bench.disk.loseAt(fits);
  await runCommits(bench, history).catch(() => {});
  return history;
}

/** The state after the crash is one that may be, and the store goes on from it. */
async function expectRecovery(bench: StoreHarness, history: History): Promise<void> {
  const store = await bench.open();
  await history.resume(store);
  await history.commits(store, 2);
  await store.close();
  const again = await bench.open();
  expect(await history.resume(again)).toBe(history.attempted);
  await again.close();
}

async function countOperations(): Promise<number> {
  const bench = new StoreHarness();
  await runCommits(bench, new History());
  return bench.disk.operations.length;
}

const operations = await countOperations();

describe('a crash', () => {
  test.each(failpoints)('%s loses nothing that was acknowledged', async (_, kind, name, side) => {
    let hits = 0;
    for (let turn = 1; turn <= 12; turn += 1) {
      for (const loss of ['nothing', 'everything', { random: createSeededRandom(turn) }] satisfies Loss[]) {
        const bench = new StoreHarness();
        const history = await runUntilCrash(
          bench,
          atTurn(turn, kind, name, side, () => (hits += 1)),
        );
        bench.crash(loss);
        await expectRecovery(bench, history);
      }
    }
    expect(hits).toBeGreaterThan(0);
  });

  test.each(['nothing', 'everything'] as const)('at any operation that loses %s of the unsynced', async (loss) => {
    for (let at = 0; at < operations; at += 1) {
      const bench = new StoreHarness();
      const history = await runUntilCrash(bench, (_, count) => count === at);
      bench.crash(loss);
      await expectRecovery(bench, history).catch((error) => raiseAt(at, error));
    }
  });
});

function raiseAt(where: number, cause: unknown): never {
  throw new Error(`failed at ${where}: ${String(cause)}`, { cause });
}

function atTurn(turn: number, kind: DiskOperation['kind'], name: string, side: 'before' | 'after', onHit: () => void) {
  let turns = 0;
  let hit = false;
  return (operation: DiskOperation) => {
    const already = hit;
    if (operation.kind === kind && operation.name === name) turns += 1;
    if (turns === turn && !hit) {
      hit = true;
      onHit();
    }
    return side === 'before' ? hit : already;
  };
}
