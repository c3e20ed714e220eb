/** Steady load for the whole budget: memory, open files, timers and the write-ahead log must not grow. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { LoadGenerator } from '../load-generator.ts';
import { ServerProcess } from '../server-process.ts';
import { type Budget, createFinding, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

const WRITERS = 4;
const SAMPLE_MS = 500;
/** Growth of memory is not significant with fewer samples. */
const SAMPLES_FOR_MEMORY = 60;

export const soak: Suite = {
  name: 'soak',
  about: 'steady load: memory, open files, timers and the write-ahead log do not grow (best with 30 minutes or more)',
  async run(budget) {
    if (process.platform !== 'linux') {
      budget.log('skipped: memory and files are read from /proc, which needs Linux');
      return [];
    }
    return withTempFolder((store) => watch(store, budget)).catch((error: unknown) => {
      const found = createFinding('soak', budget, budget.seed, error);
      // Growth needs time: one round would not reproduce it.
      return [{ ...found, reproduce: found.reproduce.replace('--count 1', '--minutes 5') }];
    });
  },
};

interface Sample {
  readonly memory: number;
  readonly files: number;
  readonly timers: number;
  readonly wal: number;
}

async function watch(store: string, budget: Budget): Promise<never[]> {
  const server = ServerProcess.instrumented({ data: store, seededBug: budget.seededBug, delayMilliseconds: 1_000 });
  const samples: Sample[] = [];
  // All groups are deleted after each turn, so that the size of the store stays constant.
  let load = new LoadGenerator(WRITERS);
  let acknowledged = 0;
  let over = false;
  try {
    const client = (await server.ready()).client();
    const writing = (async () => {
      for (let turn = 0; !over; turn += 1) {
        load = new LoadGenerator(WRITERS, `turn${turn}-`);
        await load.run(client, () => over || load.acknowledged >= 400);
        await load.assertExact(client);
        acknowledged += load.acknowledged;
        await removeAll(client, `turn${turn}-`);
      }
    })();
    writing.catch(() => {
      over = true;
    });
    while (
      !over &&
      !budget.signal.aborted &&
      (samples.length < 6 || (budget.hasTimeLeft() && samples.length < budget.count))
    ) {
      await setTimeout(SAMPLE_MS);
      samples.push(await takeSample(server, store));
    }
    over = true;
    await writing;
  } finally {
    await server.kill();
  }
  budget.log(`${acknowledged} operations, ${describe(samples)}`);
  assertSteady(samples);
  return [];
}

async function removeAll(client: ReturnType<ServerProcess['client']>, prefix: string): Promise<void> {
  const names: string[] = [];
  for await (const item of client.items('groups.list', { query: { limit: 1000 } })) {
    const { groupName } = item as { groupName: string };
    if (groupName.startsWith(prefix)) names.push(groupName);
  }
  await Promise.all(names.map((groupId) => client.groups.remove({ params: { groupId } })));
}

async function takeSample(server: ServerProcess, store: string): Promise<Sample> {
  const resources = await server.resources();
  return {
    memory: readMemory(server.pid),
    files: countOpenFiles(server.pid, store),
    timers: resources.filter((name) => name === 'Timeout' || name === 'Immediate').length,
    wal: measureWal(store),
  };
}

/** Returns the resident memory in bytes. */
function readMemory(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(line) * 1024;
}

/** Counts open files of the store; connections vary with the load. */
function countOpenFiles(pid: number, store: string): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(path.join(folder, name)).startsWith(store);
    } catch {
      return false;
    }
  }).length;
}

function measureWal(store: string): number {
  return readdirSync(store)
    .filter((name) => name.startsWith('journal.'))
    .reduce((sum, name) => sum + (statSync(path.join(store, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Returns the medians of the second and the last third; the first third is warm-up. */
function computeThirdMedians(samples: readonly Sample[], what: keyof Sample): [middle: number, last: number] {
  const third = Math.floor(samples.length / 3);
  const values = samples.map((sample) => sample[what]);
  return [median(values.slice(third, 2 * third)), median(values.slice(2 * third))];
}

/** The limit of each metric in the last third, computed from the second third: a factor and a constant. */
const allowed: Readonly<Record<keyof Sample, (before: number) => number>> = {
  memory: (before) => before * 1.1 + 16 * 1024 * 1024,
  files: (before) => before + 3,
  timers: (before) => before + 10,
  wal: (before) => before * 1.5 + 60_000,
};

function assertSteady(samples: readonly Sample[]): void {
  for (const what of Object.keys(allowed) as (keyof Sample)[]) {
    if (what === 'memory' && samples.length < SAMPLES_FOR_MEMORY) continue;
    const [before, after] = computeThirdMedians(samples, what);
    if (after > allowed[what](before)) throw new Error(`${what} grew from ${before} to ${after}`);
  }
}

function describe(samples: readonly Sample[]): string {
  const grown = (Object.keys(allowed) as (keyof Sample)[]).map(
    (what) => `${what} ${computeThirdMedians(samples, what).join(' to ')}`,
  );
  return `${samples.length} samples; medians of the second and the last third: ${grown.join(', ')}`;
}
