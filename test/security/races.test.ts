/** One round of each race; `npm run stress` runs many more. */
import { test } from 'vitest';
import { effort } from '../effort.ts';
import { races, runRace } from '../stress/races/index.ts';

test.each(races.map((race) => [race.name, race] as const))('%s', async (_name, race) => {
  for (let round = 1; round <= effort; round += 1) await runRace(race, round);
});
