/** `races`: sends 100 concurrent requests for each resource that is single-use, unique, rotated, limited or guarded. */
import { startServer, type TestServer, type TestServerOptions } from '../../harness.ts';
import { type Budget, createFinding, type Finding, hasBudget, type Suite } from '../suite.ts';
import { authorizationRaces } from './authorization.ts';
import { callCount, classifyOutcome, type Race, shuffleNumbers } from './race.ts';
import { rotationRaces } from './rotation.ts';
import { uniquenessRaces } from './uniqueness.ts';
import { openYieldingStore } from './yielding-store.ts';

export const races: readonly Race[] = [...rotationRaces, ...uniquenessRaces, ...authorizationRaces];

/** Runs one round of a race on a separate server. @throws Error with the invariant that was broken. */
export async function runRace(race: Race, round: number): Promise<void> {
  const openStore = async () => openYieldingStore(round);
  await using server = await startServer({ openStore, ...optionsOf(race) });
  await runRaceOn(server, race, round);
}

/** The options of the server for a race. */
export function optionsOf({ seed, flags }: Race): Pick<TestServerOptions, 'seed' | 'flags'> {
  return { ...(seed ? { seed } : {}), ...(flags ? { flags } : {}) };
}

/** Runs one round of a race on this server. @throws Error with the invariant that was broken. */
export async function runRaceOn(server: TestServer, { name, setUp }: Race, round: number): Promise<void> {
  const { call, verify } = await setUp(server);
  const outcomes = await Promise.all(shuffleNumbers(callCount, round).map((at) => classifyOutcome(call(at))));
  try {
    const broken = outcomes.find((one) => one.startsWith('5') || one.startsWith('failed'));
    if (broken !== undefined) throw new Error(`a request failed: ${broken}`);
    await verify(outcomes);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Rounds of each race; ten times as many for refresh tokens, which most other guarantees depend on. */
const maxRounds = ({ name }: Race) => (name.startsWith('refresh token') ? 1000 : 100);

async function runRaces(budget: Budget): Promise<Finding[]> {
  const findings: Finding[] = [];
  let done = 0;
  const pending = new Map(races.map((race) => [race, maxRounds(race)]));
  for (let round = 0; pending.size > 0 && round < budget.count && hasBudget(budget, done); round += 1)
    for (const [race, max] of pending) {
      if (round >= max) pending.delete(race);
      else if (hasBudget({ ...budget, count: Number.POSITIVE_INFINITY }, done)) {
        done += 1;
        await runRace(race, budget.seed + round).catch((error: unknown) => {
          pending.delete(race);
          findings.push(createFinding('races', budget, budget.seed + round, error));
        });
      }
    }
  budget.log(`${done} rounds of ${callCount} requests, ${races.length} races`);
  return findings;
}

export const racesSuite: Suite = {
  name: 'races',
  about: 'single-use, unique, rotated, limited and guarded resources stay so under 100 concurrent requests',
  run: runRaces,
};
