/** Model test: random histories compared with plain Maps. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DuplicateError, MissingRowError, type Store, type Transaction } from '../../../src/server/store/store.ts';
import type { Group } from '../../../src/server/store/tables.ts';
import { group } from './rows.ts';
import type { OpenedStore } from './suite.ts';

type Step =
  | { readonly kind: 'insert' | 'replace'; readonly row: Group }
  | { readonly kind: 'delete'; readonly groupId: string };

/** The steps of one transaction; an aborted one throws at its end. */
interface Episode {
  readonly steps: readonly Step[];
  readonly abort: boolean;
}

type Model = Map<string, Group>;

const keys = ['__proto__', 'a', 'b', 'c', 'constructor', 'd', 'é', '\u{1F600}'];
const names = ['__proto__', 'n1', 'n2', 'n3', 'n4', 'n5'];
const roles = ['constructor', 'r1', 'r2'];

const row = fc
  .record({
    groupId: fc.constantFrom(...keys),
    groupName: fc.constantFrom(...names),
    roles: fc.subarray(roles),
    dependencies: fc.subarray(keys, { maxLength: 2 }),
  })
  .map(({ groupId, ...changes }) => group(groupId, changes));

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('insert', 'replace'), row }),
  fc.record({ kind: fc.constant('delete'), groupId: fc.constantFrom(...keys) }),
);

const episode: fc.Arbitrary<Episode> = fc.record({
  steps: fc.array(step, { maxLength: 6 }),
  abort: fc.boolean(),
});

class Aborted extends Error {}

const history = fc.array(fc.array(episode, { maxLength: 4 }), { maxLength: 6 });

type Compare = (store: Store, rounds: readonly (readonly Episode[])[]) => Promise<void>;

function modelTest(title: string, open: () => Promise<OpenedStore>, compare: Compare, histories?: number): void {
  test(title, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (rounds) => {
        const { store, dispose } = await open();
        try {
          await compare(store, rounds);
        } finally {
          await dispose();
        }
      }),
      histories === undefined ? {} : { numRuns: histories },
    );
  });
}

export function serialModelSuite(open: () => Promise<OpenedStore>, histories?: number): void {
  const compare: Compare = async (store, rounds) => {
    let model: Model = new Map();
    for (const each of rounds.flat()) {
      const [expected, next] = simulate(model, each);
      expect(await play(store, each)).toEqual(expected);
      await expectSame(store, next);
      model = next;
    }
  };
  modelTest('behaves like a plain map for random histories', open, compare, histories);
}

export function concurrentModelSuite(open: () => Promise<OpenedStore>, histories?: number): void {
  const compare: Compare = async (store, rounds) => {
    let model: Model = new Map();
    for (const round of rounds) {
      const actual = await Promise.all(round.map((each) => play(store, each)));
      const rows = await store.groups.list();
      const ends = orders(round.length).map((order) => simulateInOrder(model, round, actual, order));
      const end = ends.find((each) => each && isSame(sorted(each), rows));
      expect(end, `no order explains ${JSON.stringify({ round, actual, rows })}`).toBeDefined();
      model = end ?? model;
    }
  };
  modelTest('behaves like a plain map for concurrent transactions in some order', open, compare, histories);
}

/** The episodes of a round run concurrently; an embedded engine runs them in the order of the calls. */
export function orderedModelSuite(open: () => Promise<OpenedStore>): void {
  modelTest(
    'behaves like a plain map for concurrent transactions in the order of their calls',
    open,
    async (store, rounds) => {
      let model: Model = new Map();
      for (const round of rounds) {
        const outcomes = round.map((each) => {
          const [expected, next] = simulate(model, each);
          model = next;
          return { expected, actual: play(store, each) };
        });
        for (const { expected, actual } of outcomes) expect(await actual).toEqual(expected);
        await expectSame(store, model);
      }
    },
  );
}

/** All orders of the numbers below `count`. */
function orders(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return orders(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  );
}

/** The contents after the episodes in this order; undefined if a committed one would have had other results. */
function simulateInOrder(
  before: Model,
  round: readonly Episode[],
  actual: readonly (readonly string[])[],
  order: readonly number[],
): Model | undefined {
  let model = before;
  for (const at of order) {
    const each = round[at];
    if (each === undefined) return undefined;
    const [expected, next] = simulate(model, each);
    // An aborted one is not validated: it saw one consistent state, but maybe not one of this order.
    if (!each.abort && !isSame(expected, actual[at])) return undefined;
    model = next;
  }
  return model;
}

function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

async function play(store: Store, { steps, abort }: Episode): Promise<readonly string[]> {
  const results: string[] = [];
  const work = async (tx: Transaction) => {
    results.length = 0;
    for (const each of steps) results.push(await playStep(tx, each));
    results.push(`count ${await tx.groups.count()}`);
    results.push((await tx.groups.list()).map(({ groupId }) => groupId).join());
    if (abort) throw new Aborted();
  };
  await store.transaction(work).catch((error: unknown) => {
    if (!(error instanceof Aborted)) throw error;
  });
  return results;
}

async function playStep({ groups }: Transaction, each: Step): Promise<string> {
  try {
    if (each.kind === 'delete') return String(await groups.delete(each.groupId));
    await (each.kind === 'insert' ? groups.insert(each.row) : groups.replace(each.row));
    return 'done';
  } catch (error) {
    if (error instanceof DuplicateError) return `duplicate ${error.constraint}`;
    if (error instanceof MissingRowError) return 'missing';
    throw error;
  }
}

function simulate(before: Model, { steps, abort }: Episode): [results: readonly string[], after: Model] {
  const model = new Map(before);
  const results = steps.map((each) => simulateStep(model, each));
  results.push(
    `count ${model.size}`,
    sorted(model)
      .map(({ groupId }) => groupId)
      .join(),
  );
  return [results, abort ? before : model];
}

function simulateStep(model: Model, each: Step): string {
  if (each.kind === 'delete') return String(model.delete(each.groupId));
  const { groupId, groupName } = each.row;
  if (each.kind === 'insert' && model.has(groupId)) return 'duplicate key';
  if (each.kind === 'replace' && !model.has(groupId)) return 'missing';
  const others = [...model.values()].filter((other) => other.groupId !== groupId);
  if (others.some((other) => other.groupName === groupName)) return 'duplicate groupName';
  model.set(groupId, each.row);
  return 'done';
}

function sorted(model: Model): Group[] {
  return [...model.values()].sort((one, other) => (one.groupId < other.groupId ? -1 : 1));
}

async function expectSame({ groups }: Store, model: Model): Promise<void> {
  const all = sorted(model);
  expect(await groups.list()).toEqual(all);
  expect(await groups.count()).toBe(all.length);
  for (const key of keys) {
    expect(await groups.get(key)).toEqual(model.get(key));
    expect(await groups.list({ after: key, limit: 2 })).toEqual(all.filter((each) => each.groupId > key).slice(0, 2));
    const dependent = all.filter((each) => each.dependencies.includes(key));
    expect(await groups.find('dependency', key)).toEqual(dependent);
  }
  for (const name of names) {
    expect(await groups.getBy('groupName', name)).toEqual(all.find((each) => each.groupName === name));
  }
  const counts = await groups.countBy('role');
  for (const role of roles) {
    expect(counts.get(role) ?? 0).toBe(all.filter((each) => each.roles.includes(role)).length);
    const matching = all.filter((each) => each.roles.includes(role));
    expect(await groups.find('role', role)).toEqual(matching);
    expect(await groups.find('role', role, { after: 'b', limit: 1 })).toEqual(
      matching.filter((each) => each.groupId > 'b').slice(0, 1),
    );
  }
}
