/** A process that writes is killed, again and again: what it answered is there, in order, and nothing it did not issue. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleChild, type Children } from './children.ts';
import { countCommits } from './history.ts';
import { between, createSeededRandom } from './random.ts';
import { type Folder, makeFolder, openStore } from './temp-store.ts';

const CYCLES = 20;
const WRITERS = 16;

let children: Children;
let folder: Folder;

beforeAll(async () => {
  children = await bundleChild();
  folder = await makeFolder();
});
afterAll(() => Promise.all([children.remove(), folder.remove()]));

test(`keeps what was answered through ${CYCLES} kills under load`, async () => {
  const seed = 20_261;
  const random = createSeededRandom(seed);
  let answered = 0;
  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const child = children.start(folder.directory, 'write', String(WRITERS));
    await child.line('answered');
    await setTimeout(between(random, 0, 150));
    await child.kill();
    const numbers = child.lines.filter((line) => line.startsWith('answered')).map((line) => Number(line.split(' ')[1]));
    const where = `cycle ${cycle}, seed ${seed}`;
    expect(numbers[0], where).toBeGreaterThan(answered);
    expect(numbers, where).toEqual([...numbers].sort((one, other) => one - other));
    answered = numbers.at(-1) ?? answered;
    // Every other time the next child recovers from the files as the kill left them.
    if (cycle % 2 === 0) answered = await checkState(answered, where);
  }
  process.stdout.write(`kill test: ${answered} commits, seed ${seed}\n`);
}, 60_000);

/** Each writer waits for its answer, so at most one commit of each is there that was never answered. */
async function checkState(answered: number, where: string): Promise<number> {
  const store = await openStore(folder.directory);
  try {
    const state = await countCommits(store);
    expect(state, where).toBeGreaterThanOrEqual(answered);
    expect(state, where).toBeLessThanOrEqual(answered + WRITERS);
    return state;
  } finally {
    await store.close();
  }
}
