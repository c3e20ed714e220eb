/**
 * The oracle of the suites that run in this process. Commit n makes changes derived from n to several tables and stores
 * n in the same transaction, so each recovered state identifies the commit it must match. It must contain every
 * acknowledged commit and none that was not issued.
 */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { DuplicateError, type Store, type Transaction } from '../../src/server/store/store.ts';
import type { Group, SigningKey } from '../../src/server/store/tables.ts';
import { group } from '../server/store/rows.ts';

const COUNTER = 'counter';
const createdAt = '2024-05-01T12:00:00.000Z';

/** The expected rows of both tables. */
interface ExpectedState {
  readonly groups: Map<string, Group>;
  readonly keys: Map<string, SigningKey>;
}

export class StoreOracle {
  /** The last commit that was started; `acknowledged` is the last one that succeeded. */
  issued = 0;
  acknowledged = 0;

  /** Makes the next commit. @throws the errors of the store. */
  async commit(store: Store): Promise<void> {
    const number = await store.transaction(async (tx) => {
      const next = (await readCounter(tx)) + 1;
      this.issued = Math.max(this.issued, next);
      await writeCommit(tx, next);
      return next;
    });
    this.acknowledged = Math.max(this.acknowledged, number);
  }

  /** Makes several commits concurrently and waits for all. @throws the error of the first one that failed. */
  async burst(store: Store, count: number): Promise<void> {
    const outcomes = await Promise.allSettled(Array.from({ length: count }, () => this.commit(store)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /**
   * Inserts a row that exists, as a client does that repeats a request. The rejection says that the row is stored: it
   * acknowledges the commits that the transaction has read, which must be durable by then.
   */
  async repeat(store: Store): Promise<void> {
    let read = 0;
    const rejected = await store
      .transaction(async (tx) => {
        read = await readCounter(tx);
        if (read > 0) await tx.groups.insert(group(COUNTER));
      })
      .then(
        () => false,
        (error: unknown) => error instanceof DuplicateError,
      );
    if (!rejected) return;
    this.acknowledged = Math.max(this.acknowledged, read);
    const durable = await readCounter(store);
    ok(durable >= read, `a duplicate of commit ${read} was rejected when commit ${durable} was the last durable one`);
  }

  /** Verifies that the state is allowed after a crash, and continues from it. */
  async resume(store: Store): Promise<void> {
    const found = await this.#verifyState(store);
    ok(
      found >= this.acknowledged,
      `commit ${this.acknowledged} was acknowledged, but the last one after the start is ${found}`,
    );
    ok(
      found <= this.issued,
      `commit ${this.issued} was the last one issued, but the last one after the start is ${found}`,
    );
    this.issued = found;
    this.acknowledged = found;
  }

  /** Verifies that readers of the open store see exactly the acknowledged commits. */
  async assertNotAhead(store: Store): Promise<void> {
    const found = await this.#verifyState(store);
    deepStrictEqual(found, this.acknowledged, 'the state in memory differs from the acknowledged commits');
  }

  /** Drops issued commits that were rejected and rolled back. */
  discardRejected(): void {
    this.issued = this.acknowledged;
  }

  async #verifyState(store: Store): Promise<number> {
    const count = await readCounter(store);
    const { groups, keys } = computeState(count);
    const message = `the state differs from the state after commit ${count}`;
    deepStrictEqual(await store.groups.list(), listSorted(groups), message);
    deepStrictEqual(await store.signingKeys.list(), listSorted(keys), message);
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
    const previous = before.get(key);
    if (previous === undefined) await table.insert(row);
    else if (previous !== row) await table.replace(row);
  }
}

const states: ExpectedState[] = [{ groups: new Map(), keys: new Map() }];

/** Returns the state after the first `count` commits. Rows that a commit does not change stay the same objects. */
function computeState(count: number): ExpectedState {
  for (let number = states.length; number <= count; number += 1) {
    const before = states[number - 1] as ExpectedState;
    const state = { groups: new Map(before.groups), keys: new Map(before.keys) };
    applyCommit(state, number);
    states.push(state);
  }
  return states[count] as ExpectedState;
}

/** Mostly inserts; sometimes deletes, updates, inserts a long row or rotates the keys. */
function applyCommit({ groups, keys }: ExpectedState, number: number): void {
  groups.set(COUNTER, group(COUNTER, { groupName: `counted to ${number}` }));
  const older = formatName(number - 4);
  if (number % 7 === 0) groups.delete(older);
  else if (number % 5 === 0 && groups.has(older)) groups.set(older, group(older, { roles: [`CHANGED_${number}`] }));
  else
    groups.set(formatName(number), group(formatName(number), { roles: number % 13 === 0 ? ['x'.repeat(1500)] : [] }));
  if (number % 6 === 0) rotate(keys, number);
}

/** Makes the current key an old one, deletes the previous old key and adds a new current key. */
function rotate(keys: Map<string, SigningKey>, number: number): void {
  for (const [kid, key] of keys) {
    if (key.current) keys.set(kid, { ...key, current: false });
    else keys.delete(kid);
  }
  const kid = `key ${number}`;
  const row = { kid, alg: 'ES256', current: true, privateJwk: { d: kid }, publicJwk: { x: kid }, createdAt };
  keys.set(kid, { ...row, longestToken: 3600 });
}

function formatName(number: number): string {
  return `n${String(number).padStart(8, '0')}`;
}

function listSorted<Row>(rows: Map<string, Row>): Row[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}
