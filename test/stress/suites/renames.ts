/** Crashes at every rename in the life of a store, in each state in which a file system may leave the rename. */
import { ok } from 'node:assert/strict';
import type { StoreOpenError } from '../../../src/server/store/open-error.ts';
import { FakeDisk } from '../../server/store/fake-disk.ts';
import { StoreHarness } from '../../server/store/store-harness.ts';
import { StoreOracle } from '../oracle.ts';
import { withSeededBug } from '../seeded-bugs.ts';
import { createFinding, type Finding, hasBudget, type Suite } from '../suite.ts';

const name = 'renames';

export const renames: Suite = {
  name,
  about: 'a crash leaves each rename undone, done, half done, or done with an empty or truncated file',
  async run(budget) {
    const findings: Finding[] = [];
    const all = (await listRenames(budget.seededBug)).flatMap((rename) => states.map((state) => ({ rename, state })));
    let done = 0;
    for (; hasBudget(budget, done) && done < all.length && findings.length === 0; done += 1) {
      const { rename, state } = all[done] as (typeof all)[number];
      await assertStateRecovers(rename, state, budget.seededBug).catch((error: Error) => {
        const where = `${state.what} at operation ${rename.at}, rename ${rename.from} to ${rename.to}`;
        findings.push(createFinding(name, budget, budget.seed, new Error(`${where}: ${error.message}`)));
      });
    }
    budget.log(`${done} states of ${all.length / states.length} renames`);
    // The states do not depend on the seed, so --count would not reproduce the finding.
    return findings.map((found) => ({ ...found, reproduce: found.reproduce.replace(' --count 1', '') }));
  },
};

interface Rename {
  /** The index of the disk operation. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

interface State {
  readonly what: string;
  /** The content of the file under either name after the crash; absent if it does not exist. */
  readonly from?: (content: Buffer) => Buffer;
  readonly to?: (content: Buffer) => Buffer;
  /** Only a disk that ignores syncs leaves this state, so rejecting the start is acceptable. */
  readonly impossible?: boolean;
}

const same = (content: Buffer) => content;

const states: readonly State[] = [
  { what: 'done', to: same },
  { what: 'under both names', from: same, to: same },
  { what: 'under neither name', impossible: true },
  { what: 'empty under its new name', to: () => Buffer.alloc(0), impossible: true },
  { what: 'truncated under its new name', to: (content) => content.subarray(0, content.length / 2), impossible: true },
  { what: 'zeros under its new name', to: (content) => Buffer.alloc(content.length), impossible: true },
];

/** Two starts with two checkpoints and a stop each, which covers all renames. */
async function runLifecycle(harness: StoreHarness, oracle: StoreOracle): Promise<void> {
  for (let starts = 0; starts < 2; starts += 1) {
    const store = await harness.open();
    for (let checkpoints = 0; checkpoints < 2; checkpoints += 1) {
      await oracle.burst(store, 7);
      await store.checkpoint();
    }
    await oracle.commit(store);
    await store.close();
  }
}

function createHarness(seededBug: string | undefined): StoreHarness {
  return new StoreHarness(new FakeDisk(), (disk) => withSeededBug(disk, seededBug));
}

async function listRenames(seededBug: string | undefined): Promise<Rename[]> {
  const harness = createHarness(seededBug);
  await runLifecycle(harness, new StoreOracle());
  return harness.disk.operations.flatMap(({ kind, name: names }, at) => {
    const [from = '', to = ''] = names.split(' ');
    return kind === 'rename' ? [{ at, from, to }] : [];
  });
}

async function assertStateRecovers(
  { at, from, to }: Rename,
  state: State,
  seededBug: string | undefined,
): Promise<void> {
  const harness = createHarness(seededBug);
  const oracle = new StoreOracle();
  harness.disk.loseAt((_, count) => count === at);
  await runLifecycle(harness, oracle).catch(() => {});
  harness.crash('nothing');
  const content = harness.bytes(harness.path(from));
  for (const [path, change] of [
    [harness.path(from), state.from],
    [harness.path(to), state.to],
  ] as const) {
    if (change === undefined) harness.disk.unplant(path);
    else harness.disk.plant(path, change(content));
  }
  const names = await harness.names();
  const store = await harness.open().catch((error: StoreOpenError) => {
    ok(state.impossible && error.kind !== 'io', error.message);
    return undefined;
  });
  if (store !== undefined) await oracle.resume(store);
  else await assertUnchanged(harness, names);
}

/** Verifies that a rejected start leaves the files unchanged. */
async function assertUnchanged(harness: StoreHarness, names: readonly string[]): Promise<void> {
  const withoutLock = (all: readonly string[]) => all.filter((each) => !each.startsWith('iam.lock')).sort();
  const [before, after] = [withoutLock(names), withoutLock(await harness.names())];
  ok(before.join() === after.join(), `the rejected start changed the files from ${before.join()} to ${after.join()}`);
}
