/** Races that have no test of their own; the others, and many more rounds of these, are run by `npm run torture`. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { races, runRace } from '../stress/races/index.ts';

const untested = races.filter(({ coveredBy: tested }) => tested === undefined);

/** Each takes its time on a busy machine, and none waits for anything. */
const timeout = 180_000;

test.each(untested.map((race) => [race.name, race] as const))(
  '%s',
  async (_name, race) => {
    for (const round of race.isSlow ? [1] : [1, 2]) await runRace(race, round);
  },
  timeout,
);

test('every other race has a test that is there', () => {
  const named = races.flatMap(({ coveredBy: tested }) => tested ?? []);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
