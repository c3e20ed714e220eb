/**
 * A history with recognizable states: commit n adds the group n and sets the counter to n. After a crash, the state must
 * be one of them, contain all acknowledged commits and no commit that was not issued.
 */
import { deepStrictEqual, ok } from 'node:assert/strict';
import type { Store } from '../../../src/server/store/store.ts';
import { group } from './rows.ts';

const COUNTER = 'counter';

export class History {
  /** The number of attempted commits, and the last acknowledged one. */
  attempted: number;
  acknowledged: number;

  constructor(from = 0) {
    this.attempted = from;
    this.acknowledged = from;
  }

  /** Writes the next commit. @throws the error of the store. */
  async commit(store: Store, padding = 0): Promise<void> {
    this.attempted += 1;
    const number = this.attempted;
    await writeCommit(store, number, padding);
    this.acknowledged = Math.max(this.acknowledged, number);
  }

  async commits(store: Store, count: number): Promise<void> {
    for (let done = 0; done < count; done += 1) await this.commit(store);
  }

  /** Writes several commits concurrently. */
  async burst(store: Store, count: number, padding = 0): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.commit(store, padding)));
  }

  /** Continues from a recovered state; attempted commits that it does not contain are lost. */
  async resume(store: Store): Promise<number> {
    const found = await countCommits(store);
    ok(found >= this.acknowledged, `commit ${this.acknowledged} was acknowledged, and the state ends with ${found}`);
    ok(found <= this.attempted, `commit ${this.attempted} was the last, and the state ends with ${found}`);
    this.attempted = found;
    this.acknowledged = found;
    return found;
  }
}

export async function writeCommit(store: Store, number: number, padding = 0): Promise<void> {
  await store.transaction(async ({ groups }) => {
    const counter = group(COUNTER, { groupName: `counted to ${number}` });
    await ((await groups.get(COUNTER)) === undefined ? groups.insert(counter) : groups.replace(counter));
    await groups.insert(group(formatName(number), { roles: padding > 0 ? ['x'.repeat(padding)] : [] }));
  });
}

/** Counts the commits of the state. Fails if it is not a state of the history. */
export async function countCommits(store: Store): Promise<number> {
  const counter = await store.groups.get(COUNTER);
  const count = Number(counter?.groupName.replace('counted to ', '') ?? 0);
  const rows = await store.groups.list();
  const expected = Array.from({ length: count }, (_, index) => formatName(index + 1));
  const found = rows.map(({ groupId }) => groupId).filter((groupId) => groupId !== COUNTER);
  deepStrictEqual(found, expected, `the state is not one of the history's (commit ${count})`);
  return count;
}

function formatName(number: number): string {
  return `n${String(number).padStart(8, '0')}`;
}
