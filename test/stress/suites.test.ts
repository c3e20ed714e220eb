/** Short runs of the suites of `npm run stress` that work within one process. */
import { describe, expect, test } from 'vitest';
import { countBudget } from './budget.ts';
import { seededBugs } from './seeded-bugs.ts';
import { createFinding, DelayedError } from './suite.ts';
import { suites } from './suites.ts';

/** Generous, for busy machines: no test waits for time to pass. */
const TIMEOUT_MS = 120_000;

function suiteOf(name: string) {
  const suite = suites.find((each) => each.name === name);
  if (suite === undefined) throw new Error(`unknown suite: ${name}`);
  return suite;
}

test.each([
  ['simulator', 100],
  ['large-logs', 3],
  ['renames', 1000],
  ['cuts', 300],
  ['sectors', 150],
  ['tails', 40],
  ['wal-flips', 200],
  ['checkpoint-flips', 100],
  ['replays', 1000],
  ['model', 2],
  ['group-commit', 1],
  ['clock', 1],
  ['browsers', 2],
  ['throttle', 2],
] as const)(
  '%s finds nothing',
  async (name, count) => {
    expect(await suiteOf(name).run(countBudget(count))).toEqual([]);
  },
  TIMEOUT_MS,
);

describe('finds the seeded bug', () => {
  test.each([
    ['skip-datasync', 'simulator', 1],
    ['skip-file-sync', 'simulator', 2],
    ['skip-folder-sync', 'simulator', 2],
    ['skip-parent-sync', 'simulator', 1],
    ['second-sync-counts', 'simulator', 7],
    ['skip-late-sync', 'large-logs', 2],
    ['reject-duplicates-early', 'simulator', 3],
    ['skip-next', 'renames', 1],
    ['drop-damaged', 'cuts', 1],
    ['drop-damaged', 'sectors', 1],
    ['drop-damaged', 'tails', 1],
    ['ignore-checksums', 'wal-flips', 1],
    ['ignore-checksums', 'checkpoint-flips', 1],
    ['drop-out-of-sequence', 'replays', 1],
    ['skip-datasync', 'model', 1],
    ['write-later', 'group-commit', 1],
    ['frozen-clock', 'clock', 3],
    ['ignore-origin', 'browsers', 1],
    ['throttle-by-name', 'throttle', 1],
  ] as const)(
    '%s with the suite %s',
    async (bug, name, seed) => {
      const count = seed !== 1 ? 1 : name === 'renames' ? 1000 : 20;
      const [first] = await suiteOf(name).run(countBudget(count, seed, bug));
      expect(first?.reproduce).toContain(`npm run stress -- --only ${name}`);
      expect(first?.reproduce).toContain(`--bug ${bug}`);
    },
    TIMEOUT_MS,
  );
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
