/** Random commands on a store, a plain map beside it: what the store answers and what it holds must be the map's. */
import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { FileStore } from '../../src/server/store/json/file-store.ts';
import { DuplicateError, MissingRowError, type Transaction } from '../../src/server/store/store.ts';
import type { Group } from '../../src/server/store/tables.ts';
import { FakeDisk } from '../../test/server/store/fake-disk.ts';
import { Bench } from '../../test/server/store/fault-bench.ts';
import { seeded } from '../../test/server/store/random.ts';
import { group } from '../../test/server/store/rows.ts';
import { planted } from '../planted-disk.ts';
import { rounds, type Suite } from '../suite.ts';

const HISTORIES_OF_A_ROUND = 20;

/** Seeds and paths, as fast-check names them, of histories that once failed, shrunk. None has so far. */
export const regressions: readonly { readonly seed: number; readonly path: string }[] = [];

export const model: Suite = {
  name: 'model',
  about: 'random histories with crashes, restarts and checkpoints against a plain map; failures are shrunk',
  async run(budget) {
    for (const { seed, path } of regressions) await check(seed, budget.plant, path);
    const { findings, done } = await rounds('model', budget, (seed) => check(seed, budget.plant));
    budget.log(`${done * HISTORIES_OF_A_ROUND} histories`);
    return findings;
  },
};

async function check(seed: number, plant: string | undefined, path?: string): Promise<void> {
  const histories = fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), (history) =>
    fc.asyncModelRun(async () => ({ model: new Map(), real: await Real.open(plant) }), history),
  );
  await fc.assert(histories, { seed, numRuns: HISTORIES_OF_A_ROUND, ...(path === undefined ? {} : { path }) });
}

type Model = Map<string, Group>;

/** The store, and the disk under it. */
class Real {
  readonly bench: Bench;
  store: FileStore;

  private constructor(bench: Bench, store: FileStore) {
    this.bench = bench;
    this.store = store;
  }

  static async open(plant: string | undefined): Promise<Real> {
    const bench = new Bench(new FakeDisk(), (disk) => planted(disk, plant));
    return new Real(bench, await bench.open());
  }

  async reopen(): Promise<void> {
    this.store = await this.bench.open();
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

/** Does the steps as a map would. @returns the map after them; undefined where one of them is refused. */
function applied(model: Model, list: readonly Step[]): Model | undefined {
  const next = new Map(model);
  for (const { kind, row } of list) {
    const there = next.has(row.groupId);
    const taken = [...next.values()].some((each) => each.groupId !== row.groupId && each.groupName === row.groupName);
    if (kind === 'delete') next.delete(row.groupId);
    else if (taken || there !== (kind === 'replace')) return undefined;
    else next.set(row.groupId, row);
  }
  return next;
}

async function perform({ groups }: Transaction, list: readonly Step[]): Promise<void> {
  for (const { kind, row } of list) {
    if (kind === 'delete') await groups.delete(row.groupId);
    else if (kind === 'insert') await groups.insert(row);
    else await groups.replace(row);
  }
}

function become(model: Model, next: Model): void {
  model.clear();
  for (const [key, row] of next) model.set(key, row);
}

/** A command from what it does; the name and what it was given are what a failure shows. */
function command<Given>(
  name: string,
  given: fc.Arbitrary<Given>,
  run: (model: Model, real: Real, given: Given) => Promise<void>,
): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return given.map((value) => ({
    check: () => true,
    async run(model: Model, real: Real) {
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

function lossOf(given: 'nothing' | 'everything' | { seed: number }) {
  return typeof given === 'string' ? given : { random: seeded(given.seed) };
}

const commands = [
  command('transaction', steps, async (model, real, list) => {
    const next = applied(model, list);
    const done = await real.store.transaction((tx) => perform(tx, list)).then(() => true, refusedByRules);
    deepStrictEqual(done, next !== undefined);
    if (next !== undefined) become(model, next);
  }),
  command('abort', steps, async (_, real, list) => {
    const abort = new Error('aborted');
    await real.store
      .transaction(async (tx) => {
        await perform(tx, list);
        throw abort;
      })
      .catch((error: unknown) => {
        if (error !== abort) refusedByRules(error);
      });
  }),
  command('checkpoint', fc.constant(undefined), (_, real) => real.store.checkpoint()),
  command('restart', fc.constant(undefined), async (_, real) => {
    await real.store.close();
    await real.reopen();
  }),
  command('crash', loss, async (_, real, given) => {
    real.bench.crash(lossOf(given));
    await real.reopen();
  }),
  command('crash during a transaction', fc.tuple(steps, loss, fc.nat({ max: 6 })), crashDuring),
  command('crash during a checkpoint', fc.tuple(loss, fc.nat({ max: 14 })), async (_, real, [given, at]) => {
    loseAfter(real, at);
    await real.store.checkpoint().catch(() => {});
    real.bench.crash(lossOf(given));
    await real.reopen();
  }),
  command('crash during a start', fc.tuple(loss, fc.nat({ max: 8 })), async (_, real, [given, at]) => {
    real.bench.crash('everything');
    loseAfter(real, at);
    await real.bench.open().catch(() => {});
    real.bench.crash(lossOf(given));
    await real.reopen();
  }),
];

/** It is there as a whole or not at all, and if it was answered it is there. */
async function crashDuring(
  model: Model,
  real: Real,
  [list, given, at]: [Step[], 'nothing' | 'everything' | { seed: number }, number],
): Promise<void> {
  const next = applied(model, list);
  loseAfter(real, at);
  const answered = await real.store
    .transaction((tx) => perform(tx, list))
    .then(
      () => true,
      () => false,
    );
  real.bench.crash(lossOf(given));
  await real.reopen();
  if (next === undefined) return;
  const found = await real.store.groups.list();
  const isThere = JSON.stringify(found) === JSON.stringify(sorted(next));
  if (answered || isThere) become(model, next);
}

function loseAfter({ bench }: Real, operations: number): void {
  const from = bench.disk.operations.length;
  bench.disk.loseAt((_, count) => count >= from + operations);
}

function refusedByRules(error: unknown): false {
  if (error instanceof DuplicateError || error instanceof MissingRowError) return false;
  throw error;
}
