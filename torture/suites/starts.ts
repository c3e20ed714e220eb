/** One process to a store: races for the first start, second servers, holders that are stopped or killed. */
import { setTimeout } from 'node:timers/promises';
import { withFolder } from '../folder.ts';
import { Load } from '../load.ts';
import { ServerProcess } from '../server-process.ts';
import { type Budget, rounds, type Suite } from '../suite.ts';

/** What `iam serve` ends with where another process has the store. */
const IN_USE = 13;

export const firstStarts: Suite = {
  name: 'first-starts',
  about: 'three processes race for the first start of a folder: one store, and clear refusals',
  async run(budget) {
    const { findings, done } = await rounds('first-starts', budget, () => withFolder((store) => race(store, budget)));
    budget.log(`${done} races`);
    return findings;
  },
};

async function race(store: string, { plant }: Budget): Promise<void> {
  const racers = Array.from({ length: 3 }, () => ServerProcess.either(store, plant, false));
  try {
    const outcomes = await Promise.allSettled(racers.map((racer) => racer.ready()));
    const winners = racers.filter((_, at) => outcomes[at]?.status === 'fulfilled');
    const [winner] = winners;
    if (winner === undefined || winners.length > 1)
      throw new Error(`${winners.length} of ${racers.length} have the store`);
    for (const racer of racers) if (racer !== winner) await expectRefused(racer, winner);
    const load = new Load(2);
    await load.run(winner.client(), () => load.answered > 5);
    await load.assertExact(winner.client());
  } finally {
    await Promise.all(racers.map((racer) => racer.kill()));
  }
}

async function expectRefused(racer: ServerProcess, holder: ServerProcess): Promise<void> {
  await racer.ended();
  const named = racer.stderr.includes(`process ${holder.pid}`);
  if (racer.outcome === IN_USE && named) return;
  throw new Error(`a second server ended with ${racer.outcome}: ${racer.stderr}`);
}

export const secondServers: Suite = {
  name: 'second-servers',
  about:
    'a second server is refused while the first runs or is stopped, for a minute in a long run; after kill -9 it starts',
  async run(budget) {
    const { findings, done } = await rounds('second-servers', budget, () => withFolder((store) => hold(store, budget)));
    budget.log(`${done} holders`);
    return findings;
  },
};

/** As long as locks that go by the time of a file are used to wait, where there is time for it. */
const STOPPED_MS = 60_000;

async function hold(store: string, budget: Budget): Promise<void> {
  const holder = ServerProcess.either(store, budget.plant, false);
  const load = new Load(2);
  try {
    await holder.ready();
    await load.run(holder.client(), () => load.answered > 5);
    await expectSecondRefused(store, holder, budget);
    holder.signal('SIGSTOP');
    const endsAt = performance.now() + STOPPED_MS;
    do {
      await expectSecondRefused(store, holder, budget);
      await setTimeout(100);
    } while (budget.until() && performance.now() < endsAt);
    holder.signal('SIGCONT');
    const enough = load.answered + 5;
    await load.run(holder.client(), () => load.answered >= enough);
  } finally {
    await holder.kill();
  }
  const next = ServerProcess.either(store, budget.plant, false);
  try {
    await next.ready();
    await load.resume(next.client());
  } finally {
    await next.kill();
  }
}

async function expectSecondRefused(store: string, holder: ServerProcess, { plant }: Budget): Promise<void> {
  const second = ServerProcess.either(store, plant, false);
  const started = await second.ready().then(
    () => true,
    () => false,
  );
  if (started) {
    await second.kill();
    throw new Error('a second server has the store while the first one does');
  }
  await expectRefused(second, holder);
}
