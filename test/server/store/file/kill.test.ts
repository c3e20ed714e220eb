/** Kills a writing process repeatedly: acknowledged commits survive, in order, and no other commits appear. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFullRun } from '../../../effort.ts';
import { countCommits } from '../history.ts';
import { between, createSeededRandom } from '../random.ts';
import { type Folder, makeFolder, openStore } from '../temp-store.ts';
import { bundleChild, type Children } from './children.ts';

const CYCLES = isFullRun ? 20 : 8;
const WRITERS = 16;

let children: Children;
let folder: Folder;

beforeAll(async () => {
  children = await bundleChild();
  folder = await makeFolder();
});
afterAll(() => Promise.all([children.remove(), folder.remove()]));

test(`keeps acknowledged commits through ${CYCLES} kills under load`, async () => {
  const seed = 20_261;
  const random = createSeededRandom(seed);
  let acknowledged = 0;
  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const child = children.start(folder.directory, 'write', String(WRITERS));
    await child.line('acknowledged');
    await setTimeout(between(random, 0, 150));
    await child.kill();
    const numbers = child.lines
      .filter((line) => line.startsWith('acknowledged'))
      .map((line) => Number(line.split(' ')[1]));
    const where = `cycle ${cycle}, seed ${seed}`;
    expect(numbers[0], where).toBeGreaterThan(acknowledged);
    expect(numbers, where).toEqual([...numbers].sort((one, other) => one - other));
    acknowledged = numbers.at(-1) ?? acknowledged;
    // Every other time the next child recovers from the files of the killed process.
    if (cycle % 2 === 0) acknowledged = await checkState(acknowledged, where);
  }
  process.stdout.write(`kill test: ${acknowledged} commits, seed ${seed}\n`);
});

/** Each writer waits for its acknowledgement, so at most one unacknowledged commit per writer exists. */
async function checkState(acknowledged: number, where: string): Promise<number> {
  const store = await openStore(folder.directory);
  try {
    const state = await countCommits(store);
    expect(state, where).toBeGreaterThanOrEqual(acknowledged);
    expect(state, where).toBeLessThanOrEqual(acknowledged + WRITERS);
    return state;
  } finally {
    await store.close();
  }
}
