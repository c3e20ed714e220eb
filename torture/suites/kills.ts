/** A server under load is killed, or told to stop, at any time; what it answered is there after the next start. */
import { setTimeout } from 'node:timers/promises';
import { NetworkError } from '../../src/client/errors.ts';
import { failpoints } from '../../test/server/store/failpoints.ts';
import { between, seeded } from '../../test/server/store/random.ts';
import type { Kill } from '../failing-disk.ts';
import { withFolder } from '../folder.ts';
import type { Load } from '../load.ts';
import { Series } from '../series.ts';
import { ServerProcess, StartError } from '../server-process.ts';
import { type Budget, finding, LateError, rounds, type Suite } from '../suite.ts';

interface Round {
  readonly seed: number;
  readonly series: Series;
  readonly budget: Budget;
}

/** Starts, checks what the round before left, writes, and ends it in this round's way. */
async function cycle(
  server: ServerProcess,
  { seed, series }: Round,
  end: (loading: Promise<void>) => Promise<void>,
): Promise<void> {
  try {
    await series.start(server, seed);
    let over = false;
    const loading = series.load.run(server.client(), () => over);
    loading.catch(() => {});
    await end(loading);
    over = true;
    await loading;
  } catch (error) {
    // A connection breaks a little before its process is seen to have ended.
    await Promise.race([server.ended(), setTimeout(GRACE_MS, undefined, { ref: false })]);
    throw error;
  } finally {
    if (server.running) await server.kill();
    await server.ended();
  }
}

const GRACE_MS = 500;

/** Waits until so many more operations were answered, however fast that is, or the load has ended. */
async function someAnswers(load: Load, count: number, loading: Promise<void>): Promise<void> {
  const enough = load.answered + count;
  let ended = false;
  const end = () => {
    ended = true;
  };
  loading.then(end, end);
  while (load.answered < enough && !ended) await setTimeout(1);
}

function inSeries(
  name: string,
  about: string,
  round: (round: Round) => Promise<string | undefined>,
  exact = false,
): Suite {
  return {
    name,
    about,
    run: (budget) =>
      withFolder(async (_, parent) => {
        const series = new Series(parent, budget.plant, exact);
        const notes = new Map<string, number>();
        const { findings, done } = await rounds(name, budget, async (seed) => {
          await series.next();
          const note = await round({ seed, series, budget });
          if (note !== undefined) notes.set(note, (notes.get(note) ?? 0) + 1);
        });
        if (findings.length === 0)
          await series.close().catch((error: unknown) => findings.push(finding(name, budget, budget.seed, error)));
        const said = [...notes].map(([note, count]) => `, ${note}: ${count}`).join('');
        budget.log(`${done} cycles, ${series.answered} operations answered${said}`);
        return findings;
      }),
  };
}

export const kills = inSeries(
  'kills',
  'kill -9 at random times under load: what was answered is there, in order, and nothing that was not asked for',
  async (round) => {
    const { seed, series, budget } = round;
    const random = seeded(seed);
    const server = ServerProcess.either(series.store, budget.plant, random() < 0.5);
    await cycle(server, round, async (loading) => {
      await someAnswers(series.load, between(random, 0, 200), loading);
      await setTimeout(between(random, 0, 30));
      await server.kill();
    });
    return undefined;
  },
);

const inRotationOfKeys: readonly Omit<Kill, 'turn'>[] = [
  { kind: 'write', name: 'journal.jsonl', side: 'before', containing: '"signingKeys"' },
  { kind: 'write', name: 'journal.jsonl', side: 'after', containing: '"signingKeys"' },
  { kind: 'syncData', name: 'journal.jsonl', side: 'after', containing: '"signingKeys"' },
];
const named: readonly Omit<Kill, 'turn'>[] = [
  // What has a number in its name comes only once in the life of a store.
  ...failpoints.filter(([, , name]) => !name.includes('0001')).map(([, kind, name, side]) => ({ kind, name, side })),
  ...inRotationOfKeys,
];

/** Long enough for a busy machine to come to each place. */
const PATIENCE_MS = 8_000;

/** The part of the rounds that kill the first start of a store. */
const FIRST_STARTS = 0.15;
const WRITES_BEFORE = 40;

export const killpoints = inSeries(
  'killpoints',
  'a kill at each named place: around appends, syncs, renames, folder syncs, and a rotation of signing keys',
  async (round) => {
    const { seed, series, budget } = round;
    const random = seeded(seed);
    const place = named[seed % named.length] as Omit<Kill, 'turn'>;
    // The first start makes a key as well: a second turn is sure to be that of a rotation.
    const kill = { ...place, turn: between(random, 1, place.containing === undefined ? 6 : 3) };
    if (random() < FIRST_STARTS) await series.renew();
    else if (series.fresh) await begin(round);
    const server = ServerProcess.tortured({ data: series.store, plant: budget.plant, kill });
    let reached = false;
    await cycle(server, round, async () => {
      const patience = setTimeout(PATIENCE_MS, undefined, { ref: false });
      if (place.containing !== undefined) await rotateKeys(server, kill.turn);
      await Promise.race([server.ended(), patience]);
      reached = !server.running;
      if (!reached) await server.kill();
    }).catch((error: Error) => {
      // Some places come before the server is ready, or while it is asked what the round before left.
      if (server.outcome !== 'SIGKILL' || server.wasKilled || !isGone(error)) throw error;
      reached = true;
    });
    return reached ? undefined : `not reached ${place.kind} ${place.name} ${place.side}`;
  },
);

/** A store with something in it: alone, a round comes to the same places as among others. */
async function begin(round: Round): Promise<void> {
  const { series, budget } = round;
  const server = ServerProcess.tortured({ data: series.store, plant: budget.plant });
  await cycle(server, round, async (loading) => {
    await someAnswers(series.load, WRITES_BEFORE, loading);
    await server.kill();
  });
}

/** Whether nothing is wrong but that the server is not there any more. */
function isGone(error: Error): boolean {
  const found = error instanceof LateError ? (error.cause as Error) : error;
  // What fetch throws where there is no answer is a TypeError with the reason as its cause.
  const isUnanswered = found instanceof TypeError && found.cause !== undefined;
  return isUnanswered || found instanceof NetworkError || found instanceof StartError;
}

async function rotateKeys(server: ServerProcess, times: number): Promise<void> {
  for (let time = 0; time < times && server.running; time += 1) {
    await server.control('/keys/rotate').catch(() => undefined);
  }
}

/** Calls under way have five seconds, and the checkpoint after them on a busy machine as long again. */
const STOP_MS = 10_000;

export const stops = inSeries(
  'stops',
  'SIGTERM during start, requests and checkpoints: the server ends by itself, in time, with everything it answered and nothing else',
  async (round) => {
    const { seed, series, budget } = round;
    const random = seeded(seed);
    const server = ServerProcess.either(series.store, budget.plant, random() < 0.5);
    if (random() < 0.2) return stopWhileStarting(server, between(random, 0, 700));
    await cycle(server, round, async (loading) => {
      await someAnswers(series.load, between(random, 0, 200), loading);
      await setTimeout(between(random, 0, 30));
      await expectStop(server);
    });
    return undefined;
  },
  true,
);

async function stopWhileStarting(server: ServerProcess, after: number): Promise<string> {
  await setTimeout(after);
  await expectStop(server, ['SIGTERM']);
  return 'while starting';
}

async function expectStop(server: ServerProcess, more: readonly unknown[] = []): Promise<void> {
  server.signal('SIGTERM');
  const late = await Promise.race([server.ended(), setTimeout(STOP_MS, 'late', { ref: false })]);
  const { outcome, stderr } = server;
  if (late === 'late') {
    await server.kill();
    throw new Error(`the server had not ended ${STOP_MS} ms after SIGTERM`);
  }
  if (outcome !== 0 && !more.includes(outcome))
    throw new Error(`after SIGTERM the server ended with ${outcome}: ${stderr}`);
}
