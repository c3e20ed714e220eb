/** Every rename of a life, left by a crash in each state that a file system may leave a rename in. */
import { ok } from 'node:assert/strict';
import type { StoreOpenError } from '../../../src/server/store/json/open-error.ts';
import { FakeDisk } from '../../server/store/fake-disk.ts';
import { StoreHarness } from '../../server/store/store-harness.ts';
import { StoreOracle } from '../oracle.ts';
import { withSeededBug } from '../seeded-bugs/disk.ts';
import { createFinding, type Finding, hasBudget, type Suite } from '../suite.ts';

const name = 'renames';

export const renames: Suite = {
  name,
  about: 'each rename left undone, done, half done, or done with a file that is empty or cut short',
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
    // The states are the same each time: there is no round to begin with.
    return findings.map((found) => ({ ...found, reproduce: found.reproduce.replace(' --count 1', '') }));
  },
};

interface Rename {
  /** The number of the operation. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

interface State {
  readonly what: string;
  /** What the file at either name holds after the crash. */
  readonly from?: (content: Buffer) => Buffer;
  readonly to?: (content: Buffer) => Buffer;
  /** Only a disk that lies leaves it so: to refuse the start is as good as to recover. */
  readonly impossible?: boolean;
}

const same = (content: Buffer) => content;

const states: readonly State[] = [
  { what: 'done', to: same },
  { what: 'under both names', from: same, to: same },
  { what: 'under neither name', impossible: true },
  { what: 'empty under its new name', to: () => Buffer.alloc(0), impossible: true },
  { what: 'cut short under its new name', to: (content) => content.subarray(0, content.length / 2), impossible: true },
  { what: 'zeros under its new name', to: (content) => Buffer.alloc(content.length), impossible: true },
];

/** A first start, two checkpoints, a stop and another start: all that is ever renamed. */
async function runLifecycle(bench: StoreHarness, oracle: StoreOracle): Promise<void> {
  for (let starts = 0; starts < 2; starts += 1) {
    const store = await bench.open();
    for (let checkpoints = 0; checkpoints < 2; checkpoints += 1) {
      await oracle.burst(store, 7);
      await store.checkpoint();
    }
    await oracle.commit(store);
    await store.close();
  }
}

function createBench(seededBug: string | undefined): StoreHarness {
  return new StoreHarness(new FakeDisk(), (disk) => withSeededBug(disk, seededBug));
}

async function listRenames(seededBug: string | undefined): Promise<Rename[]> {
  const bench = createBench(seededBug);
  await runLifecycle(bench, new StoreOracle());
  return bench.disk.operations.flatMap(({ kind, name: names }, at) => {
    const [from = '', to = ''] = names.split(' ');
    return kind === 'rename' ? [{ at, from, to }] : [];
  });
}

async function assertStateRecovers(
  { at, from, to }: Rename,
  state: State,
  seededBug: string | undefined,
): Promise<void> {
  const bench = createBench(seededBug);
  const oracle = new StoreOracle();
  bench.disk.loseAt((_, count) => count === at);
  await runLifecycle(bench, oracle).catch(() => {});
  bench.crash('nothing');
  const content = bench.bytes(bench.path(from));
  for (const [path, change] of [
    [bench.path(from), state.from],
    [bench.path(to), state.to],
  ] as const) {
    if (change === undefined) bench.disk.unplant(path);
    else bench.disk.plant(path, change(content));
  }
  const names = await bench.names();
  const store = await bench.open().catch((error: StoreOpenError) => {
    ok(state.impossible && error.kind !== 'io', error.message);
    return undefined;
  });
  if (store !== undefined) await oracle.resume(store);
  else await assertUnchanged(bench, names);
}

/** A refused start leaves the files as they are. */
async function assertUnchanged(bench: StoreHarness, names: readonly string[]): Promise<void> {
  const withoutLock = (all: readonly string[]) => all.filter((each) => !each.startsWith('iam.lock')).sort();
  const [before, after] = [withoutLock(names), withoutLock(await bench.names())];
  ok(before.join() === after.join(), `the refused start left ${after.join()}, and before there was ${before.join()}`);
}
