import { expect, test } from 'vitest';
import { RecentRows } from '../../../src/server/store/derived-values.ts';

const rows = Array.from({ length: 10 }, (_, at) => ({ at }));
const rowAt = (at: number) => rows[at] as object;

/** A cache with the values of the first rows, set one after the other. */
function cacheOf(capacity: number, count: number): RecentRows<object, { at: number }> {
  const cache = new RecentRows<object, { at: number }>(capacity);
  for (const row of rows.slice(0, count)) cache.set(row, { at: row.at });
  return cache;
}

/** The rows whose values such a cache has. A read counts as a use, so each is looked up in a cache of its own. */
const keptOf = (capacity: number, count: number) =>
  rows.filter((row) => cacheOf(capacity, count).get(row)).map(({ at }) => at);

test('keeps the values of the rows that were set last, at most twice the capacity', () => {
  expect(keptOf(3, 3)).toEqual([0, 1, 2]);
  expect(keptOf(3, 6)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(keptOf(3, 7)).toEqual([3, 4, 5, 6]);
  expect(keptOf(3, 10)).toEqual([6, 7, 8, 9]);
});

test('keeps a row that is read', () => {
  const cache = cacheOf(3, 4);
  expect(cache.get(rowAt(0))).toEqual({ at: 0 });
  for (const at of [4, 5]) cache.set(rowAt(at), { at });
  expect([0, 1, 2].map((at) => cache.get(rowAt(at)))).toEqual([{ at: 0 }, undefined, undefined]);
});

test('a value that is set again replaces the other one, and counts once', () => {
  const cache = cacheOf(2, 2);
  for (let change = 0; change < 5; change += 1) cache.set(rowAt(1), { at: change });
  expect([0, 1].map((at) => cache.get(rowAt(at)))).toEqual([{ at: 0 }, { at: 4 }]);
});
