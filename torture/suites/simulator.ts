/** Lives of a store on a disk that loses, reorders and tears everything that was not synced, each cut short by a crash. */
import type { FileStore } from '../../src/server/store/json/file-store.ts';
import { FakeDisk, type Loss, type Operation, systemError } from '../../test/server/store/fake-disk.ts';
import { Bench } from '../../test/server/store/fault-bench.ts';
import { between, seeded } from '../../test/server/store/random.ts';
import { Chronicle } from '../chronicle.ts';
import { planted } from '../planted-disk.ts';
import { rounds, type Suite } from '../suite.ts';

const name = 'simulator';

export const simulator: Suite = {
  name,
  about: 'power losses that drop, reorder and tear what was not synced, also during recovery',
  async run(budget) {
    const { findings, done } = await rounds(name, budget, (seed) => simulate(seed, budget.plant));
    budget.log(`${done} lives, each with power losses at random operations`);
    return findings;
  },
};

type Random = () => number;

/** @throws where the store lost something, or can't be opened. */
async function simulate(seed: number, plant: string | undefined): Promise<void> {
  const random = seeded(seed);
  const bench = new Bench(new FakeDisk(), (disk) => planted(disk, plant));
  const chronicle = new Chronicle();
  for (let lives = between(random, 1, 4); lives > 0; lives -= 1) {
    await live(bench, chronicle, random);
    bench.crash(lossOf(random));
    await recoverRepeatedly(bench, random);
  }
  await expectGoesOn(bench, chronicle);
}

function lossOf(random: Random): Loss {
  const kind = random();
  if (kind < 0.1) return 'nothing';
  return kind < 0.3 ? 'everything' : { random };
}

/** Opens the store and does this and that with it, until the disk is gone. */
async function live(bench: Bench, chronicle: Chronicle, random: Random): Promise<void> {
  const faults = new Faults(bench.disk, between(random, 0, 150));
  const store = await openUnlessLost(bench, faults);
  if (store === undefined) return;
  await chronicle.resume(store).catch((error: unknown) => {
    if (!faults.lost) throw error;
  });
  for (let steps = between(random, 3, 30); steps > 0 && !faults.lost; steps -= 1) {
    await step(store, chronicle, random, bench, faults);
  }
  faults.lose();
  await store.close().catch(() => {});
}

async function openUnlessLost(bench: Bench, faults: Faults): Promise<FileStore | undefined> {
  try {
    return await bench.open();
  } catch (error) {
    if (faults.lost) return undefined;
    throw error;
  }
}

async function step(
  store: FileStore,
  chronicle: Chronicle,
  random: Random,
  bench: Bench,
  faults: Faults,
): Promise<void> {
  const kind = random();
  const size = between(random, 2, 9);
  if (kind < 0.4) await chronicle.commit(store).catch(() => {});
  else if (kind < 0.55) await chronicle.burst(store, size).catch(() => {});
  else if (kind < 0.7) await store.checkpoint().catch(() => {});
  else if (kind < 0.85) await Promise.allSettled([chronicle.burst(store, size), store.checkpoint()]);
  else if (kind < 0.9) bench.disk.longestWrite = between(random, 1, 600);
  else await trouble(store, chronicle, random, bench, faults);
  await chronicle.assertNotAhead(store);
}

/** The disk is full for a while, or a sync fails: what was refused is not there, or at least not read. */
async function trouble(
  store: FileStore,
  chronicle: Chronicle,
  random: Random,
  bench: Bench,
  faults: Faults,
): Promise<void> {
  if (random() < 0.7) bench.disk.capacity = between(random, 0, 20_000);
  else faults.failNextSync();
  await Promise.allSettled([chronicle.burst(store, 3), random() < 0.5 ? store.checkpoint() : undefined]);
  bench.disk.capacity = Number.POSITIVE_INFINITY;
  const health = store.health();
  await chronicle.assertNotAhead(store);
  // While the store goes on, nothing refused is left on the disk; after a stop nobody knows.
  if (!faults.lost && (health.writable || !health.permanent)) chronicle.forgetRefused();
}

/** Starts that are broken off as well, at any operation. */
async function recoverRepeatedly(bench: Bench, random: Random): Promise<void> {
  for (let again = between(random, 0, 4); again > 0; again -= 1) {
    const faults = new Faults(bench.disk, between(random, 0, 12));
    const store = await openUnlessLost(bench, faults);
    faults.lose();
    await store?.close().catch(() => {});
    bench.crash(lossOf(random));
  }
}

async function expectGoesOn(bench: Bench, chronicle: Chronicle): Promise<void> {
  for (const loss of ['everything', 'nothing'] as const) {
    const store = await bench.open();
    await chronicle.resume(store);
    await chronicle.burst(store, 2);
    await chronicle.assertNotAhead(store);
    bench.crash(loss);
  }
  await chronicle.resume(await bench.open());
}

/** When the disk is lost, and which sync fails before. */
class Faults {
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

  #fail({ kind }: Operation): void {
    if (!this.#failsNext || (kind !== 'syncData' && kind !== 'sync' && kind !== 'syncFolder')) return;
    this.#failsNext = false;
    throw systemError('EIO', kind === 'syncData' ? 'fdatasync' : 'fsync');
  }
}
