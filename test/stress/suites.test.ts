/** Short runs of the suites of `npm run stress` that work within one process. */
import { describe, expect, test } from 'vitest';
import { effort, isFullRun } from '../effort.ts';
import { countBudget } from './budget.ts';
import { seededBugs } from './seeded-bugs.ts';
import { createFinding, DelayedError } from './suite.ts';
import { suites } from './suites.ts';

function suiteOf(name: string) {
  const suite = suites.find((each) => each.name === name);
  if (suite === undefined) throw new Error(`unknown suite: ${name}`);
  return suite;
}

/** The rounds of each suite at effort 1, and their first seed: ten times as many find every seeded bug. */
const shortRuns = {
  simulator: [1, 1],
  'large-logs': [1, 2],
  renames: [100, 1],
  cuts: [2, 1],
  sectors: [2, 1],
  tails: [1, 1],
  'wal-flips': [2, 1],
  'checkpoint-flips': [1, 1],
  replays: [100, 1],
  model: [1, 1],
  'group-commit': [1, 1],
  clock: [1, 3],
  browsers: [1, 1],
  throttle: [1, 1],
} as const;

/** Each takes seconds for one round. */
const longRounds: readonly string[] = ['large-logs', 'clock', 'throttle'];
const inEachRun = Object.entries(shortRuns).filter(([name]) => isFullRun || !longRounds.includes(name));

test.each(inEachRun)('%s finds nothing', async (name, [count, seed]) => {
  expect(await suiteOf(name).run(countBudget(count * effort, seed))).toEqual([]);
});

describe.runIf(isFullRun)('finds the seeded bug', () => {
  test.each([
    ['skip-datasync', 'simulator'],
    ['skip-file-sync', 'simulator'],
    ['skip-folder-sync', 'simulator'],
    ['skip-parent-sync', 'simulator'],
    ['second-sync-counts', 'simulator'],
    ['skip-late-sync', 'large-logs'],
    ['reject-duplicates-early', 'simulator'],
    ['skip-next', 'renames'],
    ['drop-damaged', 'cuts'],
    ['drop-damaged', 'sectors'],
    ['drop-damaged', 'tails'],
    ['ignore-checksums', 'wal-flips'],
    ['ignore-checksums', 'checkpoint-flips'],
    ['drop-out-of-sequence', 'replays'],
    ['skip-datasync', 'model'],
    ['write-later', 'group-commit'],
    ['frozen-clock', 'clock'],
    ['ignore-origin', 'browsers'],
    ['throttle-by-name', 'throttle'],
  ] as const)('%s with the suite %s', async (bug, name) => {
    const [count, seed] = shortRuns[name];
    const [first] = await suiteOf(name).run(countBudget(count * effort, seed, bug));
    expect(first?.reproduce).toContain(`npm run stress -- --only ${name}`);
    expect(first?.reproduce).toContain(`--bug ${bug}`);
  });
});

test('reproduces a delayed finding with the seed of the round that caused it', () => {
  const delayed = new DelayedError(new Error('lost'), 6);
  expect(createFinding('kills', countBudget(1), 7, delayed)).toEqual({
    problem: 'lost',
    reproduce: 'npm run stress -- --only kills --seed 6 --count 1',
  });
});

test('names of suites are unique, and names of seeded bugs are kebab-case', () => {
  const names = suites.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(seededBugs).every((bug) => /^[a-z-]+$/.test(bug))).toBe(true);
});
