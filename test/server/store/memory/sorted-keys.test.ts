import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SortedKeys } from '../../../../src/server/store/memory/sorted-keys.ts';

function keysFrom(keys: SortedKeys, after?: string): string[] {
  const found: string[] = [];
  for (const cursor = keys.cursor(after); cursor.key !== undefined; cursor.advance()) found.push(cursor.key);
  return found;
}

/** Many more than fit in one chunk. */
const number = fc.nat(3000).map((value) => String(value).padStart(4, '0'));

describe('sorted keys', () => {
  test('match a sorted set after random additions and deletions', () => {
    fc.assert(
      fc.property(
        fc.array(number, { maxLength: 4000, size: 'max' }),
        fc.array(number),
        number,
        (added, deleted, after) => {
          const keys = new SortedKeys();
          for (const key of added) keys.add(key);
          for (const key of [...deleted, ...added.slice(0, added.length / 2)]) keys.delete(key);
          const removed = new Set([...deleted, ...added.slice(0, added.length / 2)]);
          const expected = [...new Set(added)].filter((key) => !removed.has(key)).sort();
          expect([...keys]).toEqual(expected);
          expect(keysFrom(keys)).toEqual(expected);
          expect(keysFrom(keys, after)).toEqual(expected.filter((key) => key > after));
          expect(keys.size).toBe(expected.length);
        },
      ),
    );
  });

  test('can be added in order and iterated from any of them', () => {
    const keys = new SortedKeys();
    const all = Array.from({ length: 2000 }, (_, value) => String(value).padStart(4, '0'));
    for (const key of all) keys.add(key);
    for (const key of all) expect(keys.cursor(key).key).toBe(all[Number(key) + 1]);
    expect(keysFrom(keys, '0998.5').slice(0, 2)).toEqual(['0999', '1000']);
  });
});
