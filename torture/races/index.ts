/** `races`: everything that is once-only, unique, rotating, limited or guarded, by a hundred calls at once. */
import { startServer } from '../../test/harness.ts';
import { type Budget, type Finding, finding, goesOn, type Suite } from '../suite.ts';
import { guards } from './guards.ts';
import { crowd, outcomeOf, type Race, shuffled } from './race.ts';
import { rotations } from './rotation.ts';
import { openTurningStore } from './turning-store.ts';
import { uniqueness } from './uniqueness.ts';

export const races: readonly Race[] = [...rotations, ...uniqueness, ...guards];

/** One round of one race on a server of its own. @throws Error with what did not hold. */
export async function runRace({ name, seed, flags, begin }: Race, round: number): Promise<void> {
  const openStore = async () => openTurningStore(round);
  await using server = await startServer({ openStore, ...(seed ? { seed } : {}), ...(flags ? { flags } : {}) });
  const { call, judge } = await begin(server);
  const outcomes = await Promise.all(shuffled(crowd, round).map((at) => outcomeOf(call(at))));
  try {
    const broken = outcomes.find((one) => one.startsWith('5') || one.startsWith('failed'));
    if (broken !== undefined) throw new Error(`a call broke: ${broken}`);
    await judge(outcomes);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Rounds of each race; those of refresh tokens, which most of the rest stands on, are ten times as many. */
const wanted = ({ name }: Race) => (name.startsWith('refresh token') ? 1000 : 100);

async function run(budget: Budget): Promise<Finding[]> {
  const findings: Finding[] = [];
  let done = 0;
  const left = new Map(races.map((race) => [race, wanted(race)]));
  for (let round = 0; left.size > 0 && round < budget.count && goesOn(budget, done); round += 1)
    for (const [race, most] of left) {
      if (round >= most) left.delete(race);
      else if (goesOn({ ...budget, count: Number.POSITIVE_INFINITY }, done)) {
        done += 1;
        await runRace(race, budget.seed + round).catch((error: unknown) => {
          left.delete(race);
          findings.push(finding('races', budget, budget.seed + round, error));
        });
      }
    }
  budget.log(`${done} rounds of ${crowd} calls, ${races.length} races`);
  return findings;
}

export const racesSuite: Suite = {
  name: 'races',
  about: 'what is once-only, unique, rotating, limited or guarded stays so when a hundred ask at once',
  run,
};
