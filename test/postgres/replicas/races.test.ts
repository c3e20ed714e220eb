/** What is single-use, unique, rotated, limited or guarded stays so over two servers. */
import { describe, test } from 'vitest';
import { isFullRun } from '../../effort.ts';
import { optionsOf, races, runRaceOn } from '../../stress/races/index.ts';
import { startReplicas } from './replicas.ts';

describe('100 concurrent requests over two servers', () => {
  for (const [at, race] of races.filter(({ isCountedLate }) => !isCountedLate).entries())
    test.runIf(isFullRun || at === 0)(race.name, async () => {
      await using replicas = await startReplicas({ ...optionsOf(race), isBalanced: true, isPatient: true });
      await runRaceOn(replicas.servers[0], race, 1);
    });
});
