/**
 * The oracle of the suites in this process. Commit n does what n says, to several tables at once, and notes in the same
 * transaction that it was the n-th; so whatever state is found tells which one of the history's states it must be.
 * What was answered must be in it, and nothing that was not issued.
 */
import { deepStrictEqual, ok } from 'node:assert/strict';
import type { Store, Transaction } from '../../src/server/store/store.ts';
import type { Group, SigningKey } from '../../src/server/store/tables.ts';
import { group } from '../server/store/rows.ts';

const COUNTER = 'counter';
const createdAt = '2024-05-01T12:00:00.000Z';

/** What is read and written: the tables of a transaction, or plain maps. */
interface ExpectedState {
  readonly groups: Map<string, Group>;
  readonly keys: Map<string, SigningKey>;
}

export class StoreOracle {
  /** The last commit that was begun, and the last one that was acknowledged. */
  issued = 0;
  acknowledged = 0;

  /** Makes the next commit; what the store throws is passed on. */
  async commit(store: Store): Promise<void> {
    const number = await store.transaction(async (tx) => {
      const next = (await readCounter(tx)) + 1;
      this.issued = Math.max(this.issued, next);
      await writeCommit(tx, next);
      return next;
    });
    this.acknowledged = Math.max(this.acknowledged, number);
  }

  /** Makes several commits at once, and waits for all of them. @throws what the first that failed threw. */
  async burst(store: Store, count: number): Promise<void> {
    const outcomes = await Promise.allSettled(Array.from({ length: count }, () => this.commit(store)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** The state must be one that may be after a crash; it goes on from there. */
  async resume(store: Store): Promise<void> {
    const found = await this.#verifyState(store);
    ok(
      found >= this.acknowledged,
      `commit ${this.acknowledged} was acknowledged, and after the start ${found} is the last`,
    );
    ok(found <= this.issued, `commit ${this.issued} was the last, and after the start ${found} is there`);
    this.issued = found;
    this.acknowledged = found;
  }

  /** While the store is open, readers see what was acknowledged and nothing else, whatever failed. */
  async assertNotAhead(store: Store): Promise<void> {
    const found = await this.#verifyState(store);
    deepStrictEqual(found, this.acknowledged, 'memory is not what was acknowledged');
  }

  /** After a write that was refused for a while: it is not there and will never be. */
  discardRejected(): void {
    this.issued = this.acknowledged;
  }

  async #verifyState(store: Store): Promise<number> {
    const count = await readCounter(store);
    const { groups, keys } = computeState(count);
    const where = `the state is not what commit ${count} left`;
    deepStrictEqual(await store.groups.list(), listSorted(groups), where);
    deepStrictEqual(await store.signingKeys.list(), listSorted(keys), where);
    return count;
  }
}

async function readCounter({ groups }: { groups: { get(key: string): Promise<Group | undefined> } }): Promise<number> {
  return Number((await groups.get(COUNTER))?.groupName.replace('counted to ', '') ?? 0);
}

async function writeCommit(tx: Transaction, number: number): Promise<void> {
  const before = computeState(number - 1);
  const after = computeState(number);
  await writeTable(tx.groups, before.groups, after.groups);
  await writeTable(tx.signingKeys, before.keys, after.keys);
}

interface TableWriter<Row> {
  insert(row: Row): Promise<void>;
  replace(row: Row): Promise<void>;
  delete(key: string): Promise<boolean>;
}

async function writeTable<Row>(
  table: TableWriter<Row>,
  before: Map<string, Row>,
  after: Map<string, Row>,
): Promise<void> {
  for (const key of before.keys()) if (!after.has(key)) await table.delete(key);
  for (const [key, row] of after) {
    const former = before.get(key);
    if (former === undefined) await table.insert(row);
    else if (former !== row) await table.replace(row);
  }
}

const states: ExpectedState[] = [{ groups: new Map(), keys: new Map() }];

/** What the first so many commits leave. Rows that a commit left alone are the same objects. */
function computeState(count: number): ExpectedState {
  for (let number = states.length; number <= count; number += 1) {
    const before = states[number - 1] as ExpectedState;
    const state = { groups: new Map(before.groups), keys: new Map(before.keys) };
    applyCommit(state, number);
    states.push(state);
  }
  return states[count] as ExpectedState;
}

/** Inserts mostly; now and then a removal, a change, a long row, or a rotation of keys. */
function applyCommit({ groups, keys }: ExpectedState, number: number): void {
  groups.set(COUNTER, group(COUNTER, { groupName: `counted to ${number}` }));
  const older = formatName(number - 4);
  if (number % 7 === 0) groups.delete(older);
  else if (number % 5 === 0 && groups.has(older)) groups.set(older, group(older, { roles: [`CHANGED_${number}`] }));
  else
    groups.set(formatName(number), group(formatName(number), { roles: number % 13 === 0 ? ['x'.repeat(1500)] : [] }));
  if (number % 6 === 0) rotate(keys, number);
}

/** One key is current at any time, and the one before the last is cleared away. */
function rotate(keys: Map<string, SigningKey>, number: number): void {
  for (const [kid, key] of keys) {
    if (key.current) keys.set(kid, { ...key, current: false });
    else keys.delete(kid);
  }
  const kid = `key ${number}`;
  keys.set(kid, { kid, alg: 'ES256', current: true, privateJwk: { d: kid }, publicJwk: { x: kid }, createdAt });
}

function formatName(number: number): string {
  return `n${String(number).padStart(8, '0')}`;
}

function listSorted<Row>(rows: Map<string, Row>): Row[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}
