/** How soon writes are acknowledged, how few syncs they share, and what a checkpoint of many rows costs others. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Disk } from '../../src/server/store/json/disk.ts';
import type { FileStore } from '../../src/server/store/json/file-store.ts';
import { nodeDisk } from '../../src/server/store/json/node-disk.ts';
import { openStore } from '../../test/server/store/folder.ts';
import { user } from '../../test/server/store/rows.ts';
import { Chronicle } from '../chronicle.ts';
import { withFolder } from '../folder.ts';
import { bound, planted } from '../planted-disk.ts';
import { rounds, type Suite } from '../suite.ts';

const OFFERED_IN_A_SECOND = 10_000;
const ACKNOWLEDGED_WITHIN_MS = 100;
const TICK_MS = 5;

export const liveness: Suite = {
  name: 'liveness',
  about:
    '10,000 writes a second are offered: each is acknowledged within 100 ms at the 99th percentile, the first as well',
  async run(budget) {
    const notes: string[] = [];
    const { findings } = await rounds('liveness', { ...budget, count: 1 }, () =>
      withFolder(async (folder) => {
        const store = await openStore(folder, { disk: planted(nodeDisk, budget.plant) });
        const seconds = budget.count === 1 ? 1 : 10;
        const { latencies, offered } = await offer(store, seconds * 1000);
        await store.close();
        const [first = 0] = latencies;
        const p99 = percentile(latencies, 0.99);
        notes.push(`${offered} writes in ${seconds} s, first after ${ms(first)}, p99 ${ms(p99)}`);
        if (Math.max(first, p99) > ACKNOWLEDGED_WITHIN_MS) throw new Error(notes.join());
      }),
    );
    budget.log(notes.join());
    return findings;
  },
};

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
}

/** Offers writes at the rate, whether or not those before were acknowledged. */
async function offer(store: FileStore, milliseconds: number): Promise<{ latencies: number[]; offered: number }> {
  const latencies: number[] = [];
  const under: Promise<void>[] = [];
  const startedAt = performance.now();
  const write = async (number: number) => {
    const sentAt = performance.now();
    await store.transaction(({ users }) => users.insert(user(`offered-${number}`)));
    latencies.push(performance.now() - sentAt);
  };
  for (let now = startedAt; now < startedAt + milliseconds; now = performance.now()) {
    const due = ((now - startedAt) / 1000) * OFFERED_IN_A_SECOND;
    while (under.length < due) under.push(write(under.length));
    await setTimeout(TICK_MS);
  }
  await Promise.all(under);
  return { latencies, offered: under.length };
}

const TOGETHER = 1000;
/** Of 1,000 writes that come at once, no more than this part may cost a sync of its own. */
const SYNCS_AT_MOST = TOGETHER / 25;

export const groupCommit: Suite = {
  name: 'group-commit',
  about: '1,000 writes at once share a few syncs, and all are there after the process is gone',
  async run(budget) {
    let most = 0;
    const { findings, done } = await rounds('group-commit', budget, () =>
      withFolder(async (folder) => {
        const counted = counting(planted(nodeDisk, budget.plant));
        const store = await openStore(folder, { disk: counted.disk });
        const chronicle = new Chronicle();
        const before = counted.syncs();
        await chronicle.burst(store, TOGETHER);
        const syncs = counted.syncs() - before;
        most = Math.max(most, syncs);
        await store.close();
        if (syncs > SYNCS_AT_MOST) throw new Error(`${TOGETHER} writes took ${syncs} syncs`);
        const again = await openStore(folder);
        await chronicle.resume(again);
        await again.close();
      }),
    );
    budget.log(`${done} times ${TOGETHER} writes, ${most} syncs at most`);
    return findings;
  },
};

function counting(disk: Disk): { disk: Disk; syncs: () => number } {
  let syncs = 0;
  const open: Disk['open'] = async (path, mode) => {
    const file = await disk.open(path, mode);
    return {
      write: (bytes, position) => file.write(bytes, position),
      truncate: (size) => file.truncate(size),
      sync: () => file.sync(),
      close: () => file.close(),
      syncData: () => {
        syncs += 1;
        return file.syncData();
      },
    };
  };
  return { disk: { ...bound(disk), open }, syncs: () => syncs };
}

const USERS = 100_000;
const ROWS_IN_A_TRANSACTION = 1_000;
/** What a checkpoint may add to the delays that the same load has without one. */
const DELAY_MS = 50;
const MEMORY_FACTOR = 1.5;

export const bigCheckpoints: Suite = {
  name: 'big-checkpoint',
  about:
    'a checkpoint of 100,000 users under load: event-loop delay within 50 ms at the 99th percentile, memory bounded',
  async run(budget) {
    const notes: string[] = [];
    const { findings } = await rounds('big-checkpoint', { ...budget, count: 1 }, () =>
      withFolder(async (folder) => {
        const store = await openStore(folder, { disk: planted(nodeDisk, budget.plant) });
        await fill(store);
        const rss = process.memoryUsage.rss();
        const without = await delayUnderLoad(store, 'quiet', () => setTimeout(2_000));
        const during = await delayUnderLoad(store, 'during', () => store.checkpoint());
        const grown = process.memoryUsage.rss() / rss;
        await store.close();
        const delays = `p99 of delays ${ms(during)}, ${ms(without)} without a checkpoint`;
        notes.push(`${USERS} users, ${delays}, memory x ${grown.toFixed(2)}`);
        if (during > DELAY_MS + without || grown > MEMORY_FACTOR) throw new Error(notes.join());
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

/** The 99th percentile of what the event loop was late while some writers wrote and `work` was done, in milliseconds. */
async function delayUnderLoad(store: FileStore, name: string, work: () => Promise<unknown>): Promise<number> {
  const resolution = 5;
  const histogram = monitorEventLoopDelay({ resolution });
  let over = false;
  const write = async (writer: number) => {
    for (let number = 0; !over; number += 1) {
      const row = user(`${name}-${writer}-${number}`);
      await store.transaction(({ users }) => users.insert(row));
    }
  };
  histogram.enable();
  const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
  await work();
  histogram.disable();
  over = true;
  await Promise.all(writers);
  return histogram.percentile(99) / 1e6 - resolution;
}
