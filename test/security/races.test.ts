/** Races without a separate test. `npm run stress` runs the others, and many more rounds of these. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { effort } from '../effort.ts';
import { races, runRace } from '../stress/races/index.ts';

const untested = races.filter(({ coveredBy: tested }) => tested === undefined);

test.each(untested.map((race) => [race.name, race] as const))('%s', async (_name, race) => {
  for (let round = 1; round <= effort; round += 1) await runRace(race, round);
});

test('every other race names an existing test', () => {
  const named = races.flatMap(({ coveredBy: tested }) => tested ?? []);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
