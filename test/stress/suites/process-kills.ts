/** Kills or stops a server under load at any time; acknowledged operations are stored after the next start. */
import { setTimeout } from 'node:timers/promises';
import { NetworkError } from '../../../src/client/errors.ts';
import { failpoints } from '../../server/store/file/failpoints.ts';
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

/** Starts a server, verifies the previous round, puts load on it and ends it with `end`. */
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
    // A connection breaks shortly before the exit of its process is visible.
    await Promise.race([server.ended(), setTimeout(GRACE_MS, undefined, { ref: false })]);
    throw error;
  } finally {
    if (server.running) await server.kill();
    await server.ended();
  }
}

const GRACE_MS = 500;

/** Waits until `count` more operations are acknowledged or the load has ended. */
async function waitForAcknowledged(load: LoadGenerator, count: number, loading: Promise<void>): Promise<void> {
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
        const counts = new Map<string, number>();
        const { findings, done } = await runRounds(name, budget, async (seed) => {
          await series.next();
          const note = await round({ seed, series, budget });
          if (note !== undefined) counts.set(note, (counts.get(note) ?? 0) + 1);
        });
        if (findings.length === 0)
          await series
            .close()
            .catch((error: unknown) => findings.push(createFinding(name, budget, budget.seed, error)));
        const summary = [...counts].map(([note, count]) => `, ${note}: ${count}`).join('');
        budget.log(`${done} cycles, ${series.acknowledged} operations acknowledged${summary}`);
        return findings;
      }),
  };
}

export const kills = createSeriesSuite(
  'kills',
  'kill -9 at random times under load: acknowledged operations are stored, in order, and nothing that was not sent',
  async (round) => {
    const { seed, series, budget } = round;
    const random = createSeededRandom(seed);
    const server = ServerProcess.either(series.store, budget.seededBug, random() < 0.5);
    await runCycle(server, round, async (loading) => {
      await waitForAcknowledged(series.load, between(random, 0, 200), loading);
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
  // Operations on numbered files occur only once per store.
  ...failpoints.filter(([, , name]) => !name.includes('0001')).map(([, kind, name, side]) => ({ kind, name, side })),
  ...keyRotationFailpoints,
];

/** Long enough for a busy machine to reach each failpoint. */
const TIMEOUT_MS = 8_000;

/** The fraction of rounds that kill the first start of a store. */
const FIRST_STARTS = 0.15;
const WRITES_BEFORE = 40;

export const killpoints = createSeriesSuite(
  'killpoints',
  'a kill at each failpoint: around appends, syncs, renames, folder syncs and key rotations',
  async (round) => {
    const { seed, series, budget } = round;
    const random = createSeededRandom(seed);
    const target = allFailpoints[seed % allFailpoints.length] as Omit<Failpoint, 'occurrence'>;
    // The first start also writes a key; with up to 3 occurrences, rotations are hit as well.
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
      // Some failpoints are reached before the server is ready, or while the previous round is verified.
      if (server.outcome !== 'SIGKILL' || server.wasKilled || !isDisconnected(error)) throw error;
      reached = true;
    });
    return reached ? undefined : `not reached ${target.kind} ${target.name} ${target.side}`;
  },
);

/** Fills a new store, so that a single round reaches the same failpoints as one in a series. */
async function fillStore(round: Round): Promise<void> {
  const { series, budget } = round;
  const server = ServerProcess.instrumented({ data: series.store, seededBug: budget.seededBug });
  await runCycle(server, round, async (loading) => {
    await waitForAcknowledged(series.load, WRITES_BEFORE, loading);
    await server.kill();
  });
}

/** Whether the error only means that the server has ended. */
function isDisconnected(error: Error): boolean {
  const found = error instanceof DelayedError ? (error.cause as Error) : error;
  // fetch throws a TypeError with a cause if there is no response.
  const isFetchFailure = found instanceof TypeError && found.cause !== undefined;
  return isFetchFailure || found instanceof NetworkError || found instanceof StartError;
}

async function rotateKeys(server: ServerProcess, times: number): Promise<void> {
  for (let time = 0; time < times && server.running; time += 1) {
    await server.control('/keys/rotate').catch(() => undefined);
  }
}

/** Five seconds for requests in flight, and as long again for the final checkpoint on a busy machine. */
const STOP_MS = 10_000;

export const stops = createSeriesSuite(
  'stops',
  'SIGTERM during start, requests and checkpoints: the server exits in time with exactly the acknowledged operations',
  async (round) => {
    const { seed, series, budget } = round;
    const random = createSeededRandom(seed);
    const server = ServerProcess.either(series.store, budget.seededBug, random() < 0.5);
    if (random() < 0.2) return stopWhileStarting(server, between(random, 0, 700));
    await runCycle(server, round, async (loading) => {
      await waitForAcknowledged(series.load, between(random, 0, 200), loading);
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
  return 'stopped while starting';
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
