/** One process per store: races for the first start, second servers, and lock holders that are suspended or killed. */
import { setTimeout } from 'node:timers/promises';
import { LoadGenerator } from '../load-generator.ts';
import { ServerProcess } from '../server-process.ts';
import { type Budget, runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

/** Exit code of `iam serve` when another process uses the store. */
const IN_USE = 13;

export const firstStarts: Suite = {
  name: 'first-starts',
  about: 'three processes race for the first start of a folder: one gets the store, the others exit with a clear error',
  async run(budget) {
    const { findings, done } = await runRounds('first-starts', budget, () =>
      withTempFolder((store) => runStartRace(store, budget)),
    );
    budget.log(`${done} races`);
    return findings;
  },
};

async function runStartRace(store: string, { seededBug }: Budget): Promise<void> {
  const racers = Array.from({ length: 3 }, () => ServerProcess.either(store, seededBug, false));
  try {
    const outcomes = await Promise.allSettled(racers.map((racer) => racer.ready()));
    const winners = racers.filter((_, at) => outcomes[at]?.status === 'fulfilled');
    const [winner] = winners;
    if (winner === undefined || winners.length > 1)
      throw new Error(`${winners.length} of ${racers.length} processes got the store`);
    for (const racer of racers) if (racer !== winner) await assertRejected(racer, winner);
    const load = new LoadGenerator(2);
    await load.run(winner.client(), () => load.acknowledged > 5);
    await load.assertExact(winner.client());
  } finally {
    await Promise.all(racers.map((racer) => racer.kill()));
  }
}

async function assertRejected(racer: ServerProcess, holder: ServerProcess): Promise<void> {
  await racer.ended();
  const named = racer.stderr.includes(`process ${holder.pid}`);
  if (racer.outcome === IN_USE && named) return;
  throw new Error(`a second server ended with ${racer.outcome}: ${racer.stderr}`);
}

export const secondServers: Suite = {
  name: 'second-servers',
  about:
    'a second server is rejected while the first one runs or is suspended (up to a minute); after kill -9 it starts',
  async run(budget) {
    const { findings, done } = await runRounds('second-servers', budget, () =>
      withTempFolder((store) => runHolder(store, budget)),
    );
    budget.log(`${done} holders`);
    return findings;
  },
};

/** The usual expiry of locks that depend on the time of a file; used in full if the budget allows. */
const STOPPED_MS = 60_000;

async function runHolder(store: string, budget: Budget): Promise<void> {
  const holder = ServerProcess.either(store, budget.seededBug, false);
  const load = new LoadGenerator(2);
  try {
    await holder.ready();
    await load.run(holder.client(), () => load.acknowledged > 5);
    await assertSecondRejected(store, holder, budget);
    holder.signal('SIGSTOP');
    const endsAt = performance.now() + STOPPED_MS;
    do {
      await assertSecondRejected(store, holder, budget);
      await setTimeout(100);
    } while (budget.hasTimeLeft() && performance.now() < endsAt);
    holder.signal('SIGCONT');
    const enough = load.acknowledged + 5;
    await load.run(holder.client(), () => load.acknowledged >= enough);
  } finally {
    await holder.kill();
  }
  const next = ServerProcess.either(store, budget.seededBug, false);
  try {
    await next.ready();
    await load.resume(next.client());
  } finally {
    await next.kill();
  }
}

async function assertSecondRejected(store: string, holder: ServerProcess, { seededBug }: Budget): Promise<void> {
  const second = ServerProcess.either(store, seededBug, false);
  const started = await second.ready().then(
    () => true,
    () => false,
  );
  if (started) {
    await second.kill();
    throw new Error('a second server has the store while the first one does');
  }
  await assertRejected(second, holder);
}
