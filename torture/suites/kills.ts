/** A server under load is killed, or told to stop, at any time; what it answered is there after the next start. */
import { setTimeout } from 'node:timers/promises';
import { failpoints } from '../../test/server/store/failpoints.ts';
import { between, seeded } from '../../test/server/store/random.ts';
import type { Kill } from '../failing-disk.ts';
import { withFolder } from '../folder.ts';
import { Load } from '../load.ts';
import { ServerProcess } from '../server-process.ts';
import { type Budget, rounds, type Suite } from '../suite.ts';

const WRITERS = 8;
/** So many cycles share a store: the list of what must be there grows with each. */
const CYCLES_OF_A_STORE = 20;

/** A store that is used for some rounds and then begun anew. */
class Series {
  #cycles = 0;
  #number = 0;
  readonly #parent: string;
  load = new Load(WRITERS);

  constructor(parent: string) {
    this.#parent = parent;
  }

  /** The folder of this round. */
  next(): string {
    if (this.#cycles % CYCLES_OF_A_STORE === 0) {
      this.#number += 1;
      this.load = new Load(WRITERS);
    }
    this.#cycles += 1;
    return `${this.#parent}/${this.#number}/store`;
  }
}

/** Starts, checks what the round before left, writes, and ends it in this round's way. */
async function cycle(
  server: ServerProcess,
  load: Load,
  end: (server: ServerProcess, loading: Promise<void>) => Promise<void>,
): Promise<void> {
  try {
    await server.ready();
    await load.resume(server.client());
    let over = false;
    const loading = load.run(server.client(), () => over);
    loading.catch(() => {});
    await end(server, loading);
    over = true;
    await loading;
  } finally {
    if (server.running) await server.kill();
    await server.ended();
  }
}

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
  round: (seed: number, store: string, load: Load, budget: Budget) => Promise<string | undefined>,
): Suite {
  return {
    name,
    about,
    run: (budget) =>
      withFolder(async (_, parent) => {
        const series = new Series(parent);
        let answered = 0;
        const notes = new Map<string, number>();
        const { findings, done } = await rounds(name, budget, async (seed) => {
          const store = series.next();
          const before = series.load.answered;
          const note = await round(seed, store, series.load, budget);
          answered += Math.max(0, series.load.answered - before);
          if (note !== undefined) notes.set(note, (notes.get(note) ?? 0) + 1);
        });
        const said = [...notes].map(([note, count]) => `, ${note}: ${count}`).join('');
        budget.log(`${done} cycles, ${answered} operations answered${said}`);
        return findings;
      }),
  };
}

export const kills = inSeries(
  'kills',
  'kill -9 at random times under load: what was answered is there, in order, and nothing that was not asked for',
  async (seed, store, load, { plant }) => {
    const random = seeded(seed);
    const server = ServerProcess.either(store, plant, random() < 0.5);
    await cycle(server, load, async (_, loading) => {
      await someAnswers(load, between(random, 0, 200), loading);
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

export const killpoints = inSeries(
  'killpoints',
  'a kill at each named place: around appends, syncs, renames, folder syncs, and a rotation of signing keys',
  async (seed, store, load, { plant }) => {
    const random = seeded(seed);
    const place = named[seed % named.length] as Omit<Kill, 'turn'>;
    const kill = { ...place, turn: between(random, 1, place.containing === undefined ? 6 : 2) };
    const server = ServerProcess.tortured({ data: store, plant, kill });
    let reached = false;
    await cycle(server, load, async () => {
      const patience = setTimeout(PATIENCE_MS, undefined, { ref: false });
      if (place.containing !== undefined) await server.control('/keys/rotate').catch(() => undefined);
      await Promise.race([server.ended(), patience]);
      reached = !server.running;
      if (!reached) await server.kill();
    }).catch((error: Error) => {
      // Some places come before the server is ready.
      if (server.outcome !== 'SIGKILL' || !error.message.startsWith('the server did not start')) throw error;
      reached = true;
    });
    return reached ? undefined : `not reached ${place.kind} ${place.name} ${place.side}`;
  },
);

/** Calls under way have five seconds, and the checkpoint after them on a busy machine as long again. */
const STOP_MS = 10_000;

export const stops = inSeries(
  'stops',
  'SIGTERM during start, requests and checkpoints: the server ends by itself, in time, with everything it answered',
  async (seed, store, load, { plant }) => {
    const random = seeded(seed);
    const server = ServerProcess.either(store, plant, random() < 0.5);
    if (random() < 0.2) return stopWhileStarting(server, between(random, 0, 700));
    await cycle(server, load, async (_, loading) => {
      await someAnswers(load, between(random, 0, 200), loading);
      await setTimeout(between(random, 0, 30));
      await expectStop(server);
    });
    return undefined;
  },
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
