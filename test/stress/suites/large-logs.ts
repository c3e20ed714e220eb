/** Power losses of stores whose batches and logs have several MB, with the sizes at which the product itself acts. */
import { defaultTuning } from '../../../src/server/store/file/checkpointer.ts';
import type { FileStoreOptions } from '../../../src/server/store/file/file-store.ts';
import { FakeDisk } from '../../server/store/fake-disk.ts';
import { History } from '../../server/store/history.ts';
import { between, createSeededRandom, type Random } from '../../server/store/random.ts';
import { StoreHarness } from '../../server/store/store-harness.ts';
import { withSeededBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';
import { DiskFaults, openIfAvailable, pickLoss } from './power-loss.ts';

const name = 'large-logs';

export const largeLogs: Suite = {
  name,
  about: 'power losses with batches and logs of several MB, and the tuning of the product',
  async run(budget) {
    const { findings, done } = await runRounds(name, budget, (seed) => simulate(seed, budget.seededBug));
    budget.log(`${done} stores`);
    return findings;
  },
};

/** The sizes of the product. Its delay would let time decide when a checkpoint is written. */
const options: Partial<FileStoreOptions> = {
  tuning: { ...defaultTuning, delayMilliseconds: Number.POSITIVE_INFINITY },
};
const MAX_PADDING = 400_000;

/** @throws Error if the store lost a commit or cannot be opened */
async function simulate(seed: number, seededBug: string | undefined): Promise<void> {
  const random = createSeededRandom(seed);
  const harness = new StoreHarness(new FakeDisk(), (disk) => withSeededBug(disk, seededBug));
  const history = new History();
  for (let lives = between(random, 1, 4); lives > 0; lives -= 1) {
    await runLifecycle(harness, history, random);
    harness.crash(pickLoss(random));
  }
  const store = await harness.open(options);
  await history.resume(store);
  await history.commit(store);
  await store.close();
}

/** Opens the store and writes until the power loss: mostly by bursts, so that a batch has up to 3 MB. */
async function runLifecycle(harness: StoreHarness, history: History, random: Random): Promise<void> {
  const faults = new DiskFaults(harness.disk, between(random, 10, 200));
  const store = await openIfAvailable(harness, faults, options);
  if (store === undefined) return;
  await history.resume(store);
  for (let steps = between(random, 2, 12); steps > 0 && !faults.lost; steps -= 1) {
    if (random() < 0.1) await store.checkpoint().catch(() => {});
    const padding = between(random, 0, MAX_PADDING);
    await history.burst(store, between(random, 1, 9), padding).catch(() => {});
  }
  faults.lose();
  await store.close().catch(() => {});
}
