/** `throttle`: concurrent password guesses from many sources against an owner who logs in. */
import { startServer } from '../../harness.ts';
import { alice } from '../../server/operations/user-identities/login-fixtures.ts';
import { withProxy } from '../../server/operations/user-identities/sources.ts';
import { createRandom, pick } from '../races/race.ts';
import { seedThrottleBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';
import { type Guesses, home, names, regainSeconds, ThrottleScenario } from './scenario.ts';

const steps = 20;
/** Stays below the limit of five codes per source and hour. */
const maxRecoveries = 4;
const attackers = Array.from({ length: 40 }, (_, at) => `203.0.113.${at}`).concat('127.0.0.5', '2001:db8::1');
const unknownNames = ['unknown', 'unknown@example.com'];
const pauses = [1, 30, 60, 300, regainSeconds, regainSeconds + 1, 3600, 4 * 3600];

async function runScenario(seed: number, seededBug: string | undefined): Promise<void> {
  const draw = createRandom(seed);
  const number = (low: number, high: number) => low + Math.floor(draw() * (high - low + 1));
  await using server = await startServer(withProxy({ seed: { users: [alice] } }));
  const scenario = await ThrottleScenario.create(server);
  seedThrottleBug(server, seededBug);
  const anyName = () => pick(draw, [...names, ...names, 'ALICE', ...unknownNames]);
  const ownName = () => pick(draw, names);
  const source = () => pick(draw, [home, home, 'device', '192.0.2.2']);
  const drawGuesses = (size: number): Guesses[] =>
    [...new Set(Array.from({ length: size }, () => pick(draw, attackers)))].map((caller) => ({
      caller,
      times: number(1, 12),
    }));
  let recoveries = 0;
  const actions: readonly (() => Promise<void>)[] = [
    () => scenario.guess(anyName(), { caller: pick(draw, attackers), times: number(1, 12) }),
    () => scenario.guess(ownName(), { caller: home, times: number(1, 4) }),
    () => scenario.burst(anyName(), drawGuesses(number(1, 30))),
    () => scenario.burst(ownName(), [...drawGuesses(number(1, 20)), { caller: home, times: number(1, 12) }]),
    () => scenario.logIn(ownName(), source()),
    () => scenario.logIn(ownName(), source()),
    () => scenario.logInDuringBurst(ownName(), source(), drawGuesses(number(5, 30))),
    () => scenario.advance(pick(draw, pauses)),
    () => scenario.advance(pick(draw, pauses)),
    () => scenario.advance(-pick(draw, [3600, 24 * 3600])),
    () => scenario.attackRecovery(drawGuesses(number(1, 6)).map(({ caller }) => caller)),
    () => scenario.guessSecrets(pick(draw, attackers)),
    () => scenario.unlock(),
    async () => {
      recoveries += 1;
      if (recoveries <= maxRecoveries) await scenario.recover();
    },
  ];
  for (let step = 0; step < steps; step += 1) await pick(draw, actions)();
}

export const throttleSuite: Suite = {
  name: 'throttle',
  about: 'guesses from many sources: the limits of verified passwords hold, and the owner is never locked out by them',
  async run(budget) {
    const { findings, done } = await runRounds('throttle', budget, (seed) => runScenario(seed, budget.seededBug));
    budget.log(`${done} rounds of ${steps} steps`);
    return findings;
  },
};
