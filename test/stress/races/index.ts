/** `races`: everything that is once-only, unique, rotating, limited or guarded, by a hundred calls at once. */
import { startServer } from '../../harness.ts';
import { type Budget, createFinding, type Finding, hasBudget, type Suite } from '../suite.ts';
import { authorizationRaces } from './authorization.ts';
import { callCount, classifyOutcome, type Race, shuffleNumbers } from './race.ts';
import { rotationRaces } from './rotation.ts';
import { uniquenessRaces } from './uniqueness.ts';
import { openYieldingStore } from './yielding-store.ts';

export const races: readonly Race[] = [...rotationRaces, ...uniquenessRaces, ...authorizationRaces];

/** One round of one race on a server of its own. @throws Error with what did not hold. */
export async function runRace({ name, seed, flags, setUp: begin }: Race, round: number): Promise<void> {
  const openStore = async () => openYieldingStore(round);
  await using server = await startServer({ openStore, ...(seed ? { seed } : {}), ...(flags ? { flags } : {}) });
  const { call, verify: judge } = await begin(server);
  const outcomes = await Promise.all(shuffleNumbers(callCount, round).map((at) => classifyOutcome(call(at))));
  try {
    const broken = outcomes.find((one) => one.startsWith('5') || one.startsWith('failed'));
    if (broken !== undefined) throw new Error(`a call broke: ${broken}`);
    await judge(outcomes);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Rounds of each race; those of refresh tokens, which most of the rest stands on, are ten times as many. */
const roundsOf = ({ name }: Race) => (name.startsWith('refresh token') ? 1000 : 100);

async function runRaces(budget: Budget): Promise<Finding[]> {
  const findings: Finding[] = [];
  let done = 0;
  const left = new Map(races.map((race) => [race, roundsOf(race)]));
  for (let round = 0; left.size > 0 && round < budget.count && hasBudget(budget, done); round += 1)
    for (const [race, most] of left) {
      if (round >= most) left.delete(race);
      else if (hasBudget({ ...budget, count: Number.POSITIVE_INFINITY }, done)) {
        done += 1;
        await runRace(race, budget.seed + round).catch((error: unknown) => {
          left.delete(race);
          findings.push(createFinding('races', budget, budget.seed + round, error));
        });
      }
    }
  budget.log(`${done} rounds of ${callCount} calls, ${races.length} races`);
  return findings;
}

export const racesSuite: Suite = {
  name: 'races',
  about: 'what is once-only, unique, rotating, limited or guarded stays so when a hundred ask at once',
  run: runRaces,
};
