/** Races that have no test of their own; the others, and many more rounds of these, are run by `npm run torture`. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { races, runRace } from '../../torture/races/index.ts';

const untested = races.filter(({ tested }) => tested === undefined);

test.each(untested.map((race) => [race.name, race] as const))('%s', async (_name, race) => {
  for (const round of [1, 2]) await runRace(race, round);
});

test('every other race has a test that is there', () => {
  const named = races.flatMap(({ tested }) => tested ?? []);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
