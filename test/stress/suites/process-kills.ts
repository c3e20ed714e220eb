/** A server under load is killed, or told to stop, at any time; what it answered is there after the next start. */
import { setTimeout } from 'node:timers/promises';
import { NetworkError } from '../../../src/client/errors.ts';
import { failpoints } from '../../server/store/failpoints.ts';
import { between, createSeededRandom } from '../../server/store/random.ts';
import type { Failpoint } from '../failpoint-disk.ts';
import type { LoadGenerator } from '../load-generator.ts';
import { ServerProcess, StartError } from '../server-process.ts';
import { StoreSeries } from '../store-series.ts';
import { type Budget, createFinding, DelayedError, runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

interface Round {
  readonly seed: number;
  readonly series: StoreSeries;
  readonly budget: Budget;
}

/** Starts, checks what the round before left, writes, and ends it in this round's way. */
async function runCycle(
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
async function waitForAnswers(load: LoadGenerator, count: number, loading: Promise<void>): Promise<void> {
  const enough = load.acknowledged + count;
  let ended = false;
  const end = () => {
    ended = true;
  };
  loading.then(end, end);
  while (load.acknowledged < enough && !ended) await setTimeout(1);
}

function createSeriesSuite(
  name: string,
  about: string,
  round: (round: Round) => Promise<string | undefined>,
  exact = false,
): Suite {
  return {
    name,
    about,
    run: (budget) =>
      withTempFolder(async (_, parent) => {
        const series = new StoreSeries(parent, budget.seededBug, exact);
        const notes = new Map<string, number>();
        const { findings, done } = await runRounds(name, budget, async (seed) => {
          await series.next();
          const note = await round({ seed, series, budget });
          if (note !== undefined) notes.set(note, (notes.get(note) ?? 0) + 1);
        });
        if (findings.length === 0)
          await series
            .close()
            .catch((error: unknown) => findings.push(createFinding(name, budget, budget.seed, error)));
        const summary = [...notes].map(([note, count]) => `, ${note}: ${count}`).join('');
        budget.log(`${done} cycles, ${series.acknowledged} operations answered${summary}`);
        return findings;
      }),
  };
}

export const kills = createSeriesSuite(
  'kills',
  'kill -9 at random times under load: what was answered is there, in order, and nothing that was not asked for',
  async (round) => {
    const { seed, series, budget } = round;
    const random = createSeededRandom(seed);
    const server = ServerProcess.either(series.store, budget.seededBug, random() < 0.5);
    await runCycle(server, round, async (loading) => {
      await waitForAnswers(series.load, between(random, 0, 200), loading);
      await setTimeout(between(random, 0, 30));
      await server.kill();
    });
    return undefined;
  },
);

const keyRotationFailpoints: readonly Omit<Failpoint, 'occurrence'>[] = [
  { kind: 'write', name: 'journal.jsonl', side: 'before', containing: '"signingKeys"' },
  { kind: 'write', name: 'journal.jsonl', side: 'after', containing: '"signingKeys"' },
  { kind: 'syncData', name: 'journal.jsonl', side: 'after', containing: '"signingKeys"' },
];
const allFailpoints: readonly Omit<Failpoint, 'occurrence'>[] = [
  // What has a number in its name comes only once in the life of a store.
  ...failpoints.filter(([, , name]) => !name.includes('0001')).map(([, kind, name, side]) => ({ kind, name, side })),
  ...keyRotationFailpoints,
];

/** Long enough for a busy machine to come to each place. */
const TIMEOUT_MS = 8_000;

/** The part of the rounds that kill the first start of a store. */
const FIRST_STARTS = 0.15;
const WRITES_BEFORE = 40;

export const killpoints = createSeriesSuite(
  'killpoints',
  'a kill at each named place: around appends, syncs, renames, folder syncs, and a rotation of signing keys',
  async (round) => {
    const { seed, series, budget } = round;
    const random = createSeededRandom(seed);
    const target = allFailpoints[seed % allFailpoints.length] as Omit<Failpoint, 'occurrence'>;
    // The first start makes a key as well: a second turn is sure to be that of a rotation.
    const failpoint = { ...target, occurrence: between(random, 1, target.containing === undefined ? 6 : 3) };
    if (random() < FIRST_STARTS) await series.switchStore();
    else if (series.isNew) await fillStore(round);
    const server = ServerProcess.instrumented({ data: series.store, seededBug: budget.seededBug, failpoint });
    let reached = false;
    await runCycle(server, round, async () => {
      const timeout = setTimeout(TIMEOUT_MS, undefined, { ref: false });
      if (target.containing !== undefined) await rotateKeys(server, failpoint.occurrence);
      await Promise.race([server.ended(), timeout]);
      reached = !server.running;
      if (!reached) await server.kill();
    }).catch((error: Error) => {
      // Some places come before the server is ready, or while it is asked what the round before left.
      if (server.outcome !== 'SIGKILL' || server.wasKilled || !isDisconnected(error)) throw error;
      reached = true;
    });
    return reached ? undefined : `not reached ${target.kind} ${target.name} ${target.side}`;
  },
);

/** A store with something in it: alone, a round comes to the same places as among others. */
async function fillStore(round: Round): Promise<void> {
  const { series, budget } = round;
  const server = ServerProcess.instrumented({ data: series.store, seededBug: budget.seededBug });
  await runCycle(server, round, async (loading) => {
    await waitForAnswers(series.load, WRITES_BEFORE, loading);
    await server.kill();
  });
}

/** Whether nothing is wrong but that the server is not there any more. */
function isDisconnected(error: Error): boolean {
  const found = error instanceof DelayedError ? (error.cause as Error) : error;
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

export const stops = createSeriesSuite(
  'stops',
  'SIGTERM during start, requests and checkpoints: the server ends by itself, in time, with everything it answered and nothing else',
  async (round) => {
    const { seed, series, budget } = round;
    const random = createSeededRandom(seed);
    const server = ServerProcess.either(series.store, budget.seededBug, random() < 0.5);
    if (random() < 0.2) return stopWhileStarting(server, between(random, 0, 700));
    await runCycle(server, round, async (loading) => {
      await waitForAnswers(series.load, between(random, 0, 200), loading);
      await setTimeout(between(random, 0, 30));
      await assertStops(server);
    });
    return undefined;
  },
  true,
);

async function stopWhileStarting(server: ServerProcess, after: number): Promise<string> {
  await setTimeout(after);
  await assertStops(server, ['SIGTERM']);
  return 'while starting';
}

async function assertStops(server: ServerProcess, more: readonly unknown[] = []): Promise<void> {
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
