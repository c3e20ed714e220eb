import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { forEachYielding, waitWhileGrowing } from '../../../src/server/lib/event-loop-turns.ts';

test('processes all items in order, one after the other', async () => {
  const items = Array.from({ length: 1001 }, (_, at) => at);
  const seen: number[] = [];
  let underWay = 0;
  await forEachYielding(items, async (item) => {
    underWay += 1;
    expect(underWay).toBe(1);
    await Promise.resolve();
    seen.push(item);
    underWay -= 1;
  });
  expect(seen).toEqual(items);
});

test('yields to the event loop within a long list', async () => {
  let seen = 0;
  let seenAtTurn = 0;
  setImmediate(() => {
    seenAtTurn = seen;
  });
  await forEachYielding(new Array(1000).fill(0), async () => {
    seen += 1;
  });
  expect(seen).toBe(1000);
  expect(seenAtTurn).toBeGreaterThan(0);
  expect(seenAtTurn).toBeLessThan(1000);
});

test('rejects with the error of the work and stops', async () => {
  let seen = 0;
  const work = async () => {
    seen += 1;
    if (seen === 3) throw new Error('no more');
  };
  await expect(forEachYielding([1, 2, 3, 4], work)).rejects.toThrow('no more');
  expect(seen).toBe(3);
});

test.each([
  { arrivals: 0, waited: 1 },
  { arrivals: 3, waited: 4 },
  { arrivals: 100, waited: 16 },
])('waits $waited turns if $arrivals turns bring more', async ({ arrivals, waited }) => {
  let turns = 0;
  let ended = false;
  const growing = waitWhileGrowing(() => Math.min(turns, arrivals)).then(() => {
    ended = true;
  });
  while (!ended) {
    turns += 1;
    await nextTurn();
  }
  await growing;
  expect(turns).toBe(waited);
});
