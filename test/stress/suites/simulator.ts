/** Lives of a store on a disk that loses, reorders and tears everything that was not synced, each cut short by a crash. */
import type { FileStore } from '../../../src/server/store/json/file-store.ts';
import { type DiskOperation, FakeDisk, type Loss, systemError } from '../../server/store/fake-disk.ts';
import { between, createSeededRandom } from '../../server/store/random.ts';
import { StoreHarness } from '../../server/store/store-harness.ts';
import { StoreOracle } from '../oracle.ts';
import { withSeededBug } from '../seeded-bugs/disk.ts';
import { runRounds, type Suite } from '../suite.ts';

const name = 'simulator';

export const simulator: Suite = {
  name,
  about: 'power losses that drop, reorder and tear what was not synced, also during recovery',
  async run(budget) {
    const { findings, done } = await runRounds(name, budget, (seed) => simulate(seed, budget.seededBug));
    budget.log(`${done} lives, each with power losses at random operations`);
    return findings;
  },
};

type Random = () => number;

/** @throws where the store lost something, or can't be opened. */
async function simulate(seed: number, seededBug: string | undefined): Promise<void> {
  const random = createSeededRandom(seed);
  const bench = new StoreHarness(new FakeDisk(), (disk) => withSeededBug(disk, seededBug));
  const oracle = new StoreOracle();
  for (let lives = between(random, 1, 4); lives > 0; lives -= 1) {
    await runLifecycle(bench, oracle, random);
    bench.crash(pickLoss(random));
    await recoverRepeatedly(bench, random);
  }
  await assertContinues(bench, oracle);
}

function pickLoss(random: Random): Loss {
  const kind = random();
  if (kind < 0.1) return 'nothing';
  return kind < 0.3 ? 'everything' : { random };
}

/** Opens the store and does this and that with it, until the disk is gone. */
async function runLifecycle(bench: StoreHarness, oracle: StoreOracle, random: Random): Promise<void> {
  const faults = new DiskFaults(bench.disk, between(random, 0, 150));
  const store = await openIfAvailable(bench, faults);
  if (store === undefined) return;
  await oracle.resume(store).catch((error: unknown) => {
    if (!faults.lost) throw error;
  });
  for (let steps = between(random, 3, 30); steps > 0 && !faults.lost; steps -= 1) {
    await runStep(store, oracle, random, bench, faults);
  }
  faults.lose();
  await store.close().catch(() => {});
}

async function openIfAvailable(bench: StoreHarness, faults: DiskFaults): Promise<FileStore | undefined> {
  try {
    return await bench.open();
  } catch (error) {
    if (faults.lost) return undefined;
    throw error;
  }
}

async function runStep(
  store: FileStore,
  oracle: StoreOracle,
  random: Random,
  bench: StoreHarness,
  faults: DiskFaults,
): Promise<void> {
  const kind = random();
  const size = between(random, 2, 9);
  if (kind < 0.4) await oracle.commit(store).catch(() => {});
  else if (kind < 0.55) await oracle.burst(store, size).catch(() => {});
  else if (kind < 0.7) await store.checkpoint().catch(() => {});
  else if (kind < 0.85) await Promise.allSettled([oracle.burst(store, size), store.checkpoint()]);
  else if (kind < 0.9) bench.disk.longestWrite = between(random, 1, 600);
  else await injectFault(store, oracle, random, bench, faults);
  await oracle.assertNotAhead(store);
}

/** The disk is full for a while, or a sync fails: what was refused is not there, or at least not read. */
async function injectFault(
  store: FileStore,
  oracle: StoreOracle,
  random: Random,
  bench: StoreHarness,
  faults: DiskFaults,
): Promise<void> {
  if (random() < 0.7) bench.disk.capacity = between(random, 0, 20_000);
  else faults.failNextSync();
  await Promise.allSettled([oracle.burst(store, 3), random() < 0.5 ? store.checkpoint() : undefined]);
  bench.disk.capacity = Number.POSITIVE_INFINITY;
  const health = store.health();
  await oracle.assertNotAhead(store);
  // While the store goes on, nothing refused is left on the disk; after a stop nobody knows.
  if (!faults.lost && (health.writable || !health.permanent)) oracle.discardRejected();
}

/** Starts that are broken off as well, at any operation. */
async function recoverRepeatedly(bench: StoreHarness, random: Random): Promise<void> {
  for (let again = between(random, 0, 4); again > 0; again -= 1) {
    const faults = new DiskFaults(bench.disk, between(random, 0, 12));
    const store = await openIfAvailable(bench, faults);
    faults.lose();
    await store?.close().catch(() => {});
    bench.crash(pickLoss(random));
  }
}

async function assertContinues(bench: StoreHarness, oracle: StoreOracle): Promise<void> {
  for (const loss of ['everything', 'nothing'] as const) {
    const store = await bench.open();
    await oracle.resume(store);
    await oracle.burst(store, 2);
    await oracle.assertNotAhead(store);
    bench.crash(loss);
  }
  await oracle.resume(await bench.open());
}

/** When the disk is lost, and which sync fails before. */
class DiskFaults {
  readonly #disk: FakeDisk;
  #failsNext = false;
  lost = false;

  constructor(disk: FakeDisk, operationsLeft: number) {
    this.#disk = disk;
    disk.loseAt((_, count) => {
      this.lost ||= count >= operationsLeft;
      return this.lost;
    });
    const lose = disk.before;
    disk.before = (operation, count) => {
      lose(operation, count);
      this.#fail(operation);
    };
  }

  failNextSync(): void {
    this.#failsNext = true;
  }

  /** From now on there is no disk: nothing more is written, not even by a close. */
  lose(): void {
    this.lost = true;
    this.#disk.loseAt(() => true);
  }

  #fail({ kind }: DiskOperation): void {
    if (!this.#failsNext || (kind !== 'syncData' && kind !== 'sync' && kind !== 'syncFolder')) return;
    this.#failsNext = false;
    throw systemError('EIO', kind === 'syncData' ? 'fdatasync' : 'fsync');
  }
}
