/** `throttle`: strangers who guess, from many sources and all at once, against an owner who wants in. */
import { startServer } from '../../test/harness.ts';
import { alice } from '../../test/server/operations/user-identities/people.ts';
import { withProxy } from '../../test/server/operations/user-identities/sources.ts';
import { plantThrottle } from '../planted-throttles.ts';
import { drawer, one } from '../races/race.ts';
import { rounds, type Suite } from '../suite.ts';
import { Battle, type Guesses, home, names, quarter } from './battle.ts';

const steps = 40;
/** A source may ask for five codes an hour. */
const mostRecoveries = 4;
const strangers = Array.from({ length: 40 }, (_, at) => `203.0.113.${at}`).concat('127.0.0.5', '2001:db8::1');
const unknownNames = ['nobody', 'no-one@example.com'];
const pauses = [1, 30, 60, 300, quarter, quarter + 1, 3600, 4 * 3600];

async function fight(seed: number, plant: string | undefined): Promise<void> {
  const draw = drawer(seed);
  const number = (low: number, high: number) => low + Math.floor(draw() * (high - low + 1));
  await using server = await startServer(withProxy({ seed: { users: [alice] } }));
  const battle = await Battle.begin(server);
  plantThrottle(server, plant);
  const anyName = () => one(draw, [...names, ...names, 'ALICE', ...unknownNames]);
  const ownName = () => one(draw, names);
  const place = () => one(draw, [home, home, 'device', '192.0.2.2']);
  const crowd = (size: number): Guesses[] =>
    [...new Set(Array.from({ length: size }, () => one(draw, strangers)))].map((caller) => ({
      caller,
      times: number(1, 12),
    }));
  let recoveries = 0;
  const moves: readonly (() => Promise<void>)[] = [
    () => battle.guess(anyName(), { caller: one(draw, strangers), times: number(1, 12) }),
    () => battle.guess(ownName(), { caller: home, times: number(1, 4) }),
    () => battle.burst(anyName(), crowd(number(1, 30))),
    () => battle.burst(ownName(), [...crowd(number(1, 20)), { caller: home, times: number(1, 12) }]),
    () => battle.logIn(ownName(), place()),
    () => battle.logIn(ownName(), place()),
    () => battle.logInAmid(ownName(), place(), crowd(number(5, 30))),
    () => battle.pass(one(draw, pauses)),
    () => battle.pass(one(draw, pauses)),
    () => battle.pass(-one(draw, [3600, 24 * 3600])),
    () => battle.attackRecovery(crowd(number(1, 6)).map(({ caller }) => caller)),
    () => battle.guessSecrets(one(draw, strangers)),
    () => battle.unlock(),
    async () => {
      recoveries += 1;
      if (recoveries <= mostRecoveries) await battle.recover();
    },
  ];
  for (let step = 0; step < steps; step += 1) await one(draw, moves)();
}

export const throttleSuite: Suite = {
  name: 'throttle',
  about: 'guesses from many sources: no more are compared than may be, and the owner is never kept out by them',
  async run(budget) {
    const { findings, done } = await rounds('throttle', budget, (seed) => fight(seed, budget.plant));
    budget.log(`${done} rounds of ${steps} moves`);
    return findings;
  },
};
