/** Races without a separate test. `npm run stress` runs the others, and many more rounds of these. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { races, runRace } from '../stress/races/index.ts';

const untested = races.filter(({ coveredBy: tested }) => tested === undefined);

/** Each test can be slow on a busy machine; none waits for a timer. */
const timeout = 180_000;

test.each(untested.map((race) => [race.name, race] as const))(
  '%s',
  async (_name, race) => {
    for (const round of race.isSlow ? [1] : [1, 2]) await runRace(race, round);
  },
  timeout,
);

test('every other race names an existing test', () => {
  const named = races.flatMap(({ coveredBy: tested }) => tested ?? []);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
