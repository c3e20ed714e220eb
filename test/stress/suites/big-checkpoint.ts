/** Measures the event-loop delay and the memory of a checkpoint with many rows. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { FileStore } from '../../../src/server/store/file/file-store.ts';
import { nodeDisk } from '../../../src/server/store/file/node-disk.ts';
import { user } from '../../server/store/rows.ts';
import { openStore } from '../../server/store/temp-store.ts';
import { withSeededBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';
import { formatMs, percentile } from './write-latency.ts';

const USERS = 100_000;
const TICK_MS = 5;
const ROWS_IN_A_TRANSACTION = 1_000;
/** Maximum delay that a checkpoint may add to that of the same load without one. */
const DELAY_MS = 50;
const MEMORY_FACTOR = 1.5;

export const bigCheckpoints: Suite = {
  name: 'big-checkpoint',
  about:
    'a checkpoint of 100,000 users under load: event-loop delay within 50 ms at the 99th percentile, memory bounded',
  async run(budget) {
    const notes: string[] = [];
    const { findings } = await runRounds('big-checkpoint', { ...budget, count: 1 }, () =>
      withTempFolder(async (folder) => {
        const store = await openStore(folder, { disk: withSeededBug(nodeDisk, budget.seededBug) });
        await fill(store);
        const quiet = await underLoad(store, 'quiet', () => setTimeout(2_000));
        const during = await underLoad(store, 'during', () => checkpoints(store));
        const memoryRatio = during.memory / quiet.memory;
        await store.close();
        const delays = `p99 of delays ${formatMs(during.delay)}, ${formatMs(quiet.delay)} without a checkpoint`;
        notes.push(`${USERS} users, ${delays}, memory x ${memoryRatio.toFixed(2)}`);
        if (during.delay > DELAY_MS + quiet.delay || memoryRatio > MEMORY_FACTOR) throw new Error(notes.join());
      }),
    );
    budget.log(notes.join());
    return findings;
  },
};

async function fill(store: FileStore): Promise<void> {
  for (let first = 0; first < USERS; first += ROWS_IN_A_TRANSACTION) {
    await store.transaction(async ({ users }) => {
      for (let number = first; number < first + ROWS_IN_A_TRANSACTION; number += 1) {
        await users.insert(user(`user-${number}`, { userEmail: `user-${number}@example.com` }));
      }
    });
  }
}

/** Writes several checkpoints, so that a single unrelated pause does not determine the 99th percentile. */
async function checkpoints(store: FileStore): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    await store.transaction(({ users }) => users.insert(user(`before-${times}`)));
    await store.checkpoint();
  }
}

interface Cost {
  /** Event-loop delay of a request that arrives at a random time: 99th percentile, in milliseconds. */
  readonly delay: number;
  /** Maximum resident memory of the process, in bytes. */
  readonly memory: number;
}

/** Measures delay and memory while `work` runs beside some writers. */
async function underLoad(store: FileStore, name: string, work: () => Promise<unknown>): Promise<Cost> {
  let over = false;
  const write = async (writer: number) => {
    for (let number = 0; !over; number += 1) {
      const row = user(`${name}-${writer}-${number}`);
      await store.transaction(({ users }) => users.insert(row));
    }
  };
  const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
  const cost = watch(() => over);
  await work();
  over = true;
  await Promise.all(writers);
  return cost;
}

async function watch(over: () => boolean): Promise<Cost> {
  const delays: number[] = [];
  let memory = 0;
  while (!over()) {
    const startedAt = performance.now() - readSchedulerWait();
    await setTimeout(TICK_MS);
    // A blocked loop takes no samples, so each sample missed during the block counts with its remaining wait.
    let late = performance.now() - readSchedulerWait() - startedAt - TICK_MS;
    for (; late > 0; late -= TICK_MS) delays.push(late);
    delays.push(Math.max(0, late));
    memory = Math.max(memory, process.memoryUsage.rss());
  }
  return { delay: percentile(delays, 0.99), memory };
}

/** Returns the milliseconds that this runnable thread waited for a core; 0 if the system does not count it. */
function readSchedulerWait(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
