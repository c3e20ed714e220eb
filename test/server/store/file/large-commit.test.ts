/** Commits of many rows: atomic, isolated, durable, and in slices, so that the event loop is not blocked. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FileStore } from '../../../../src/server/store/file/file-store.ts';
import { TableOverlay } from '../../../../src/server/store/memory/overlay.ts';
import { StoreUnavailableError, type Transaction } from '../../../../src/server/store/store.ts';
import { membershipKey } from '../../../../src/server/store/tables.ts';
import { group, member } from '../rows.ts';
import { StoreHarness } from '../store-harness.ts';

/** A line of the log of some hundred kilobytes, and many slices of a merge. */
const memberCount = 3_000;
/** Row changes in one event-loop turn: those of a slice, and those of a small batch. */
const maxChangesPerTurn = 1_500;

const memberIds = Array.from({ length: memberCount }, (_, number) => `user-${number}`);

let harness: StoreHarness;
let store: FileStore;

beforeEach(async () => {
  harness = new StoreHarness();
  store = await harness.open();
  await store.transaction(async (tx) => {
    await tx.groups.insert(group('g'));
    for (const memberId of memberIds) await tx.memberships.insert(member('g', memberId));
  });
});

afterEach(() => vi.restoreAllMocks());

async function removeGroup(tx: Transaction): Promise<void> {
  for (const row of await tx.memberships.find('group', 'g')) await tx.memberships.delete(membershipKey(row));
  await tx.groups.delete('g');
}

/** The members as seen by each kind of plain read; all must agree. */
async function countMembers(reader: FileStore): Promise<number> {
  const counts = [
    await reader.memberships.count(),
    (await reader.memberships.list()).length,
    (await reader.memberships.find('group', 'g')).length,
    ((await reader.groups.get('g')) ? 1 : 0) * memberCount,
  ];
  for (const memberId of [memberIds[0], memberIds.at(-1)])
    counts.push((await reader.memberships.get(membershipKey(member('g', memberId ?? '')))) ? memberCount : 0);
  expect(new Set(counts).size).toBe(1);
  return counts[0] ?? -1;
}

/** Calls `observe` in each event-loop turn until `work` is done. */
async function duringEachTurn(work: Promise<unknown>, observe: () => unknown): Promise<void> {
  let isRunning = true;
  const finished = work.finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await observe();
    await new Promise(setImmediate);
  }
  await finished;
}

/** Counts the row changes of overlays. */
function countChanges(): () => number {
  let count = 0;
  for (const name of ['put', 'remove'] as const) {
    const original = TableOverlay.prototype[name] as (...args: unknown[]) => number;
    vi.spyOn(TableOverlay.prototype, name).mockImplementation(function (this: TableOverlay, ...args: unknown[]) {
      count += 1;
      return original.apply(this, args);
    });
  }
  return () => count;
}

test('are deleted completely or not at all for every reader, and remain so after a crash', async () => {
  const seen: number[] = [];
  const deleted = store.transaction(removeGroup);
  const merged = deleted.then(() => store.dump?.());
  await duringEachTurn(merged, async () => seen.push(await countMembers(store)));
  expect(new Set(seen)).toEqual(new Set([memberCount, 0]));
  expect(seen).toEqual([...seen].sort((one, other) => other - one));
  await store.transaction(({ groups }) => groups.insert(group('later')));
  harness.crash('everything');
  const reopened = await harness.open();
  expect(await countMembers(reopened)).toBe(0);
  expect(await reopened.groups.get('later')).toBeDefined();
});

test('are processed in slices', async () => {
  const changes = countChanges();
  const turns: number[] = [];
  let before = 0;
  const work = store.transaction(removeGroup).then(() => store.checkpoint());
  await duringEachTurn(work, () => {
    turns.push(changes() - before);
    before = changes();
  });
  // Once in the transaction, and once in the durable rows.
  expect(before).toBeGreaterThanOrEqual(2 * memberCount);
  expect(Math.max(...turns)).toBeLessThanOrEqual(maxChangesPerTurn);
});

test('and other commits around a checkpoint are all applied, in order', async () => {
  const insert = (groupId: string) => store.transaction(({ groups }) => groups.insert(group(groupId)));
  const addAgain = () =>
    store.transaction(async ({ memberships }) => {
      for (const memberId of memberIds) await memberships.insert(member('g', memberId));
    });
  const removeAndAdd = async () => {
    await store.transaction(removeGroup);
    await Promise.all([addAgain(), insert('g')]);
  };
  const work = [store.checkpoint(), insert('a'), removeAndAdd(), insert('b')];
  await Promise.all([...work, store.checkpoint()]);
  await store.transaction(({ groups }) => groups.delete('b'));
  const expectNow = async (reader: FileStore) => {
    expect(await countMembers(reader)).toBe(memberCount);
    expect((await reader.groups.list()).map(({ groupId }) => groupId)).toEqual(['a', 'g']);
  };
  await expectNow(store);
  await store.checkpoint();
  await expectNow(store);
  harness.crash('everything');
  await expectNow(await harness.open());
});

test('are undone completely if a part cannot be written', async () => {
  let writes = 0;
  harness.disk.failAt('ENOSPC', ({ kind, name }) => {
    if (kind === 'write' && name === 'journal.jsonl') writes += 1;
    return writes === 3;
  });
  await expect(store.transaction(removeGroup)).rejects.toThrow(StoreUnavailableError);
  expect(writes).toBeGreaterThanOrEqual(3);
  harness.disk.heal();
  expect(await countMembers(store)).toBe(memberCount);
  await store.transaction(({ groups }) => groups.insert(group('later')));
  harness.crash('everything');
  const reopened = await harness.open();
  expect(await countMembers(reopened)).toBe(memberCount);
  expect(await reopened.groups.get('later')).toBeDefined();
});
