/** Simulates power losses on a disk that loses, reorders and tears all writes that were not synced. */
import type { FileStore } from '../../../src/server/store/file/file-store.ts';
import { FakeDisk } from '../../server/store/fake-disk.ts';
import { between, createSeededRandom, type Random } from '../../server/store/random.ts';
import { StoreHarness } from '../../server/store/store-harness.ts';
import { StoreOracle } from '../oracle.ts';
import { seedStoreBug, withSeededBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';
import { DiskFaults, openIfAvailable, pickLoss } from './power-loss.ts';

const name = 'simulator';

export const simulator: Suite = {
  name,
  about: 'power losses drop, reorder and tear unsynced writes, also during recovery',
  async run(budget) {
    const { findings, done } = await runRounds(name, budget, (seed) => simulate(seed, budget.seededBug));
    budget.log(`${done} stores, each with power losses at random operations`);
    return findings;
  },
};

/** @throws Error if the store lost a commit or cannot be opened. */
async function simulate(seed: number, seededBug: string | undefined): Promise<void> {
  const random = createSeededRandom(seed);
  const harness = new StoreHarness(new FakeDisk(), (disk) => withSeededBug(disk, seededBug));
  const oracle = new StoreOracle();
  for (let lives = between(random, 1, 4); lives > 0; lives -= 1) {
    await runLifecycle(harness, oracle, random, seededBug);
    harness.crash(pickLoss(random));
    await recoverRepeatedly(harness, random);
  }
  await assertContinues(harness, oracle);
}

/** Opens the store and runs random steps until the power loss. */
async function runLifecycle(
  harness: StoreHarness,
  oracle: StoreOracle,
  random: Random,
  seededBug: string | undefined,
): Promise<void> {
  const faults = new DiskFaults(harness.disk, between(random, 0, 150));
  const opened = await openIfAvailable(harness, faults);
  if (opened === undefined) return;
  const store = seedStoreBug(opened, seededBug);
  await oracle.resume(store).catch((error: unknown) => {
    if (!faults.lost) throw error;
  });
  for (let steps = between(random, 3, 30); steps > 0 && !faults.lost; steps -= 1) {
    await runStep(store, oracle, random, harness, faults);
  }
  faults.lose();
  await store.close().catch(() => {});
}

async function runStep(
  store: FileStore,
  oracle: StoreOracle,
  random: Random,
  harness: StoreHarness,
  faults: DiskFaults,
): Promise<void> {
  const kind = random();
  const size = between(random, 2, 9);
  if (kind < 0.4) await oracle.commit(store).catch(() => {});
  else if (kind < 0.5) await oracle.burst(store, size).catch(() => {});
  else if (kind < 0.55) await Promise.all([oracle.burst(store, size).catch(() => {}), oracle.repeat(store)]);
  else if (kind < 0.7) await store.checkpoint().catch(() => {});
  else if (kind < 0.85) await Promise.allSettled([oracle.burst(store, size), store.checkpoint()]);
  else if (kind < 0.9) harness.disk.maxWriteBytes = between(random, 1, 600);
  else await injectFault(store, oracle, random, harness, faults);
  await oracle.assertNotAhead(store);
}

/** Fills the disk for a while or fails a sync: rejected commits are never visible to readers. */
async function injectFault(
  store: FileStore,
  oracle: StoreOracle,
  random: Random,
  harness: StoreHarness,
  faults: DiskFaults,
): Promise<void> {
  if (random() < 0.7) harness.disk.capacity = between(random, 0, 20_000);
  else faults.failNextSync();
  await Promise.allSettled([oracle.burst(store, 3), random() < 0.5 ? store.checkpoint() : undefined]);
  harness.disk.capacity = Number.POSITIVE_INFINITY;
  const health = store.health();
  await oracle.assertNotAhead(store);
  // A store that continues has removed rejected commits from the disk; after a permanent stop that is unknown.
  if (!faults.lost && (health.writable || !health.permanent)) oracle.discardRejected();
}

/** Recovers several times, with further power losses at random operations. */
async function recoverRepeatedly(harness: StoreHarness, random: Random): Promise<void> {
  for (let again = between(random, 0, 4); again > 0; again -= 1) {
    const faults = new DiskFaults(harness.disk, between(random, 0, 12));
    const store = await openIfAvailable(harness, faults);
    faults.lose();
    await store?.close().catch(() => {});
    harness.crash(pickLoss(random));
  }
}

async function assertContinues(harness: StoreHarness, oracle: StoreOracle): Promise<void> {
  for (const loss of ['everything', 'nothing'] as const) {
    const store = await harness.open();
    await oracle.resume(store);
    await oracle.burst(store, 2);
    await oracle.assertNotAhead(store);
    harness.crash(loss);
  }
  await oracle.resume(await harness.open());
}
