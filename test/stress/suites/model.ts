/** Model-based test: runs random commands on a store and on a plain map, and compares results and content. */
import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { FileStore } from '../../../src/server/store/file/file-store.ts';
import { DuplicateError, MissingRowError, type Transaction } from '../../../src/server/store/store.ts';
import type { Group } from '../../../src/server/store/tables.ts';
import { FakeDisk } from '../../server/store/fake-disk.ts';
import { createSeededRandom } from '../../server/store/random.ts';
import { group } from '../../server/store/rows.ts';
import { StoreHarness } from '../../server/store/store-harness.ts';
import { withSeededBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';

const HISTORIES_OF_A_ROUND = 20;

/** Seeds and paths (fast-check) of shrunk histories that failed once; none so far. */
const regressions: readonly { readonly seed: number; readonly path: string }[] = [];

export const model: Suite = {
  name: 'model',
  about: 'random histories with crashes, restarts and checkpoints, compared with a plain map; failures are shrunk',
  async run(budget) {
    for (const { seed, path } of regressions) await checkHistories(seed, budget.seededBug, path);
    const { findings, done } = await runRounds('model', budget, (seed) => checkHistories(seed, budget.seededBug));
    budget.log(`${done * HISTORIES_OF_A_ROUND} histories`);
    return findings;
  },
};

async function checkHistories(seed: number, seededBug: string | undefined, path?: string): Promise<void> {
  const histories = fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), (history) =>
    fc.asyncModelRun(async () => ({ model: new Map(), real: await StoreUnderTest.open(seededBug) }), history),
  );
  await fc.assert(histories, { seed, numRuns: HISTORIES_OF_A_ROUND, ...(path === undefined ? {} : { path }) });
}

type Model = Map<string, Group>;

/** The store and its disk. */
class StoreUnderTest {
  readonly harness: StoreHarness;
  store: FileStore;

  private constructor(harness: StoreHarness, store: FileStore) {
    this.harness = harness;
    this.store = store;
  }

  static async open(seededBug: string | undefined): Promise<StoreUnderTest> {
    const harness = new StoreHarness(new FakeDisk(), (disk) => withSeededBug(disk, seededBug));
    return new StoreUnderTest(harness, await harness.open());
  }

  async reopen(): Promise<void> {
    this.store = await this.harness.open();
  }

  async assertSame(model: Model): Promise<void> {
    deepStrictEqual(await this.store.groups.list(), sorted(model));
    for (const { groupName } of model.values()) {
      deepStrictEqual((await this.store.groups.getBy('groupName', groupName))?.groupName, groupName);
    }
    deepStrictEqual(await this.store.groups.count(), model.size);
  }
}

function sorted(model: Model): Group[] {
  return [...model.values()].sort((one, other) => (one.groupId < other.groupId ? -1 : 1));
}

interface Step {
  readonly kind: 'insert' | 'replace' | 'delete';
  readonly row: Group;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('insert', 'replace', 'delete'),
  row: fc
    .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom('n1', 'n2', 'n3', 'n4'), fc.nat({ max: 900 }))
    .map(([key, groupName, padding]) => group(key, { groupName, roles: ['x'.repeat(padding)] })),
});
const steps = fc.array(step, { minLength: 1, maxLength: 4 });

/** Applies the steps to a copy of the model. @returns the new model; undefined if a step is rejected. */
function applySteps(model: Model, list: readonly Step[]): Model | undefined {
  const next = new Map(model);
  for (const { kind, row } of list) {
    const exists = next.has(row.groupId);
    const nameExists = [...next.values()].some(
      (each) => each.groupId !== row.groupId && each.groupName === row.groupName,
    );
    if (kind === 'delete') next.delete(row.groupId);
    else if (nameExists || exists !== (kind === 'replace')) return undefined;
    else next.set(row.groupId, row);
  }
  return next;
}

async function runSteps({ groups }: Transaction, list: readonly Step[]): Promise<void> {
  for (const { kind, row } of list) {
    if (kind === 'delete') await groups.delete(row.groupId);
    else if (kind === 'insert') await groups.insert(row);
    else await groups.replace(row);
  }
}

function replaceModel(model: Model, next: Model): void {
  model.clear();
  for (const [key, row] of next) model.set(key, row);
}

/** Creates a command; failures show its name and input. */
function createCommand<Input>(
  name: string,
  inputs: fc.Arbitrary<Input>,
  run: (model: Model, real: StoreUnderTest, input: Input) => Promise<void>,
): fc.Arbitrary<fc.AsyncCommand<Model, StoreUnderTest>> {
  return inputs.map((value) => ({
    check: () => true,
    async run(model: Model, real: StoreUnderTest) {
      await run(model, real, value);
      await real.assertSame(model);
    },
    toString: () => `${name}(${JSON.stringify(value)})`,
  }));
}

const loss = fc.oneof(
  fc.constantFrom('nothing' as const, 'everything' as const),
  fc.nat().map((seed) => ({ seed })),
);

function createLoss(choice: 'nothing' | 'everything' | { seed: number }) {
  return typeof choice === 'string' ? choice : { random: createSeededRandom(choice.seed) };
}

const commands = [
  createCommand('transaction', steps, async (model, real, list) => {
    const next = applySteps(model, list);
    const done = await real.store.transaction((tx) => runSteps(tx, list)).then(() => true, isRejectedByRules);
    deepStrictEqual(done, next !== undefined);
    if (next !== undefined) replaceModel(model, next);
  }),
  createCommand('abort', steps, async (_, real, list) => {
    const abort = new Error('aborted');
    await real.store
      .transaction(async (tx) => {
        await runSteps(tx, list);
        throw abort;
      })
      .catch((error: unknown) => {
        if (error !== abort) isRejectedByRules(error);
      });
  }),
  createCommand('checkpoint', fc.constant(undefined), (_, real) => real.store.checkpoint()),
  createCommand('restart', fc.constant(undefined), async (_, real) => {
    await real.store.close();
    await real.reopen();
  }),
  createCommand('crash', loss, async (_, real, choice) => {
    real.harness.crash(createLoss(choice));
    await real.reopen();
  }),
  createCommand('crash during a transaction', fc.tuple(steps, loss, fc.nat({ max: 6 })), crashDuringTransaction),
  createCommand('crash during a checkpoint', fc.tuple(loss, fc.nat({ max: 14 })), async (_, real, [choice, at]) => {
    scheduleLoss(real, at);
    await real.store.checkpoint().catch(() => {});
    real.harness.crash(createLoss(choice));
    await real.reopen();
  }),
  createCommand('crash during a start', fc.tuple(loss, fc.nat({ max: 8 })), async (_, real, [choice, at]) => {
    real.harness.crash('everything');
    scheduleLoss(real, at);
    await real.harness.open().catch(() => {});
    real.harness.crash(createLoss(choice));
    await real.reopen();
  }),
];

/** After the crash the transaction is stored completely or not at all; if it was acknowledged, it is stored. */
async function crashDuringTransaction(
  model: Model,
  real: StoreUnderTest,
  [list, choice, at]: [Step[], 'nothing' | 'everything' | { seed: number }, number],
): Promise<void> {
  const next = applySteps(model, list);
  scheduleLoss(real, at);
  const acknowledged = await real.store
    .transaction((tx) => runSteps(tx, list))
    .then(
      () => true,
      () => false,
    );
  real.harness.crash(createLoss(choice));
  await real.reopen();
  if (next === undefined) return;
  const found = await real.store.groups.list();
  const isStored = JSON.stringify(found) === JSON.stringify(sorted(next));
  if (acknowledged || isStored) replaceModel(model, next);
}

function scheduleLoss({ harness }: StoreUnderTest, operations: number): void {
  const from = harness.disk.operations.length;
  harness.disk.loseAt((_, count) => count >= from + operations);
}

function isRejectedByRules(error: unknown): false {
  if (error instanceof DuplicateError || error instanceof MissingRowError) return false;
  throw error;
}
