/** A short part of each suite of `npm run torture` that needs no process but this one, and no time to speak of. */
import { describe, expect, test } from 'vitest';
import { countBudget } from './budget.ts';
import { seededBugs } from './seeded-bugs/disk.ts';
import { createFinding, DelayedError } from './suite.ts';
import { suites } from './suites.ts';

/** For machines that others keep busy: nothing here waits for a time to pass. */
const PATIENCE_MS = 120_000;

function suiteOf(name: string) {
  const suite = suites.find((each) => each.name === name);
  if (suite === undefined) throw new Error(`there is no suite ${name}`);
  return suite;
}

test.each([
  ['simulator', 100],
  ['renames', 1000],
  ['cuts', 300],
  ['sectors', 150],
  ['tails', 40],
  ['journal-flips', 200],
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
  PATIENCE_MS,
);

describe('a planted defect is found', () => {
  test.each([
    ['skip-datasync', 'simulator', 1],
    ['acknowledge-first', 'simulator', 1],
    ['second-sync-counts', 'simulator', 33],
    ['skip-file-sync', 'simulator', 2],
    ['skip-folder-sync', 'simulator', 2],
    ['believe-short-writes', 'simulator', 3],
    ['keep-torn', 'simulator', 121],
    ['forget-next', 'renames', 1],
    ['drop-damaged', 'cuts', 1],
    ['drop-damaged', 'sectors', 1],
    ['drop-damaged', 'tails', 1],
    ['ignore-checksums', 'journal-flips', 5],
    ['ignore-checksums', 'checkpoint-flips', 6],
    ['drop-strangers', 'replays', 1],
    ['skip-datasync', 'model', 1],
    ['first-of-group', 'group-commit', 1],
    ['frozen-clock', 'clock', 3],
    ['ids-by-time', 'clock', 2],
    ['keep-newer-date', 'clock', 3],
    ['ignore-host', 'browsers', 1],
    ['ignore-origin', 'browsers', 1],
    ['ignore-fetch-metadata', 'browsers', 1],
    ['throttle-by-name', 'throttle', 1],
    ['forget-known-sources', 'throttle', 1],
    ['evict-failures', 'throttle', 1],
    ['unbounded-names', 'throttle', 1],
  ] as const)(
    '%s, by %s',
    async (plant, name, seed) => {
      const count = seed !== 1 ? 1 : name === 'renames' ? 1000 : 20;
      const [first] = await suiteOf(name).run(countBudget(count, seed, plant));
      expect(first?.reproduce).toContain(`npm run torture -- --only ${name}`);
      expect(first?.reproduce).toContain(`--plant ${plant}`);
    },
    PATIENCE_MS,
  );
});

test('what a later round finds is shown again by the round that did it', () => {
  const late = new DelayedError(new Error('lost'), 6);
  expect(createFinding('kills', countBudget(1), 7, late)).toEqual({
    problem: 'lost',
    reproduce: 'npm run torture -- --only kills --seed 6 --count 1',
  });
});

test('names are unique, and so are those of defects', () => {
  const names = suites.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(seededBugs).every((plant) => /^[a-z-]+$/.test(plant))).toBe(true);
});
