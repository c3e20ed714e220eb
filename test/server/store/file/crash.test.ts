/**
 * Crashes at every disk operation, with all or none of the unsynced data lost. The simulator of test/stress covers random
 * histories and losses.
 */
import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../../../src/server/store/file/file-store.ts';
import { isFullRun } from '../../../effort.ts';
import type { DiskOperation, Loss } from '../fake-disk.ts';
import { History } from '../history.ts';
import { createSeededRandom } from '../random.ts';
import { StoreHarness } from '../store-harness.ts';
import { failpoints } from './failpoints.ts';

/** A scenario with first start, single commits, bursts, checkpoints, stop and second start. */
async function runCommits(harness: StoreHarness, history: History): Promise<void> {
  const first = await harness.open();
  await attempt(first, async () => {
    await history.commits(first, 2);
    await history.burst(first, 6);
    await first.checkpoint();
    await history.commit(first, 1500);
    await Promise.all([history.burst(first, 5), first.checkpoint()]);
    await history.commit(first);
  });
  const second = await harness.open();
  await attempt(second, async () => {
    await history.burst(second, 3);
    await second.checkpoint();
    await history.commit(second);
  });
}

/** Closes the store also after a failure, so that it can't write any more. */
async function attempt(store: FileStore, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await store.close().catch(() => {});
  }
}

test('the name of the folder is durable, although an earlier start was killed before it synced the name', async () => {
  const harness = new StoreHarness();
  harness.disk.loseAt(({ kind }) => kind === 'syncFolder');
  await harness.open().catch(() => {});
  harness.crash('nothing');
  const history = new History();
  await history.commits(await harness.open(), 2);
  harness.crash('everything');
  expect(await history.resume(await harness.open())).toBe(2);
});

async function runUntilCrash(
  harness: StoreHarness,
  matches: (operation: DiskOperation, count: number) => boolean,
): Promise<History> {
  const history = new History();
  harness.disk.loseAt(matches);
  await runCommits(harness, history).catch(() => {});
  return history;
}

/** Asserts that the state after the crash is valid and the store continues from it. */
async function expectRecovery(harness: StoreHarness, history: History): Promise<void> {
  const store = await harness.open();
  await history.resume(store);
  await history.commits(store, 2);
  await store.close();
  const again = await harness.open();
  expect(await history.resume(again)).toBe(history.attempted);
  await again.close();
}

async function countOperations(): Promise<number> {
  const harness = new StoreHarness();
  await runCommits(harness, new History());
  return harness.disk.operations.length;
}

const operations = await countOperations();

describe('a crash', () => {
  test.each(failpoints)('%s loses nothing that was acknowledged', async (_, kind, name, side) => {
    let hits = 0;
    for (let match = 1; match <= (isFullRun ? 12 : 4); match += 1) {
      for (const loss of ['nothing', 'everything', { random: createSeededRandom(match) }] satisfies Loss[]) {
        const harness = new StoreHarness();
        const history = await runUntilCrash(
          harness,
          atMatch(match, kind, name, side, () => (hits += 1)),
        );
        harness.crash(loss);
        await expectRecovery(harness, history);
      }
    }
    expect(hits).toBeGreaterThan(0);
  });

  test.each(['nothing', 'everything'] as const)('at any operation that loses %s of the unsynced', async (loss) => {
    for (let at = 0; at < operations; at += isFullRun ? 1 : 3) {
      const harness = new StoreHarness();
      const history = await runUntilCrash(harness, (_, count) => count === at);
      harness.crash(loss);
      await expectRecovery(harness, history).catch((error) => rethrowAt(at, error));
    }
  });
});

function rethrowAt(where: number, cause: unknown): never {
  throw new Error(`failed at ${where}: ${String(cause)}`, { cause });
}

function atMatch(
  match: number,
  kind: DiskOperation['kind'],
  name: string,
  side: 'before' | 'after',
  onHit: () => void,
) {
  let matches = 0;
  let hit = false;
  return (operation: DiskOperation) => {
    const already = hit;
    if (operation.kind === kind && operation.name === name) matches += 1;
    if (matches === match && !hit) {
      hit = true;
      onHit();
    }
    return side === 'before' ? hit : already;
  };
}
