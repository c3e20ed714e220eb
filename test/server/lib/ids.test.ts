import { expect, test } from 'vitest';
import { createIds } from '../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { createFakeClock } from '../../harness.ts';

const start = '2026-03-01T12:00:00.000Z';

test('ids are unique, in order and of one length, also after the drawn random bytes are used up', () => {
  const ids = createIds(createFakeClock(start), systemRandom);
  const made = Array.from({ length: 1000 }, () => ids.newId());
  expect(new Set(made).size).toBe(1000);
  expect(made).toEqual(made.toSorted());
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(new Set(made.map((id) => id.slice(-8))).size).toBeGreaterThan(990);
});

test('ids have their length with a source that returns fewer random bytes', () => {
  const random = { ...systemRandom, bytes: (length: number) => systemRandom.bytes(Math.min(length, 7)) };
  const ids = createIds(createFakeClock(start), random);
  for (let made = 0; made < 10; made += 1) expect(ids.newId()).toMatch(/^[0-9a-f]{24}$/);
});
