/** How soon writes are acknowledged, and how few syncs they share. */
import { cp, rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Disk } from '../../../src/server/store/json/disk.ts';
import type { FileStore } from '../../../src/server/store/json/file-store.ts';
import { nodeDisk } from '../../../src/server/store/json/node-disk.ts';
import { user } from '../../server/store/rows.ts';
import { openStore } from '../../server/store/temp-store.ts';
import { bindDisk } from '../disk-methods.ts';
import { StoreOracle } from '../oracle.ts';
import { withSeededBug } from '../seeded-bugs/disk.ts';
import { runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

const OFFERED_IN_A_SECOND = 10_000;
const ACKNOWLEDGED_WITHIN_MS = 100;
const TICK_MS = 5;
/** A machine that can't do as much is offered this part of what it can. */
const PART_OF_CAPACITY = 0.5;
/** On a machine that others keep busy, so many times what a bare sync takes meanwhile. */
const SYNCS_ALLOWED = 4;

export const liveness: Suite = {
  name: 'liveness',
  about:
    '10,000 writes a second are offered: each is acknowledged within 100 ms at the 99th percentile, the first as well',
  async run(budget) {
    const notes: string[] = [];
    const { findings } = await runRounds('liveness', { ...budget, count: 1 }, () =>
      withTempFolder(async (folder) => {
        const store = await openStore(folder, { disk: withSeededBug(nodeDisk, budget.seededBug) });
        const rate = Math.min(OFFERED_IN_A_SECOND, PART_OF_CAPACITY * (await measureCapacity(store)));
        const seconds = budget.count === 1 ? 1 : 10;
        let over = false;
        const bareSync = measureBareSyncs(`${folder}-floor`, () => over);
        const { latencies, offered } = await offerWrites(store, rate, seconds * 1000);
        over = true;
        const floor = await bareSync;
        await store.close();
        const [first = 0] = latencies;
        const p99 = percentile(latencies, 0.99);
        const limit = Math.max(ACKNOWLEDGED_WITHIN_MS, SYNCS_ALLOWED * floor);
        notes.push(
          `${offered} writes in ${seconds} s, first after ${formatMs(first)}, p99 ${formatMs(p99)}; a bare sync p99 ${formatMs(floor)}`,
        );
        if (Math.max(first, p99) > limit) throw new Error(notes.join());
      }),
    );
    budget.log(notes.join());
    return findings;
  },
};

/** Milliseconds in words. */
export function formatMs(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}

/** The value that this part of them is not above; 0 where there are none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
}

/** The 99th percentile of appending a little and syncing it, without any store, in the same process meanwhile. */
async function measureBareSyncs(file: string, over: () => boolean): Promise<number> {
  const handle = await nodeDisk.open(file, 'create');
  const times: number[] = [];
  while (!over()) {
    const startedAt = performance.now();
    await handle.write(Buffer.alloc(300, 'x'), times.length * 300);
    await handle.syncData();
    times.push(performance.now() - startedAt);
    await setTimeout(TICK_MS);
  }
  await handle.close();
  return percentile(times, 0.99);
}

/** How many writes a second are done by writers that wait for each. */
async function measureCapacity(store: FileStore): Promise<number> {
  const endsAt = performance.now() + 1000;
  let done = 0;
  const write = async (writer: number) => {
    while (performance.now() < endsAt) {
      await store.transaction(({ users }) => users.insert(user(`capacity-${writer}-${done}`)));
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, writer) => write(writer)));
  return done;
}

/** Offers writes at the rate, a second, whether or not those before were acknowledged. */
async function offerWrites(
  store: FileStore,
  rate: number,
  milliseconds: number,
): Promise<{ latencies: number[]; offered: number }> {
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  const write = async (number: number) => {
    const sentAt = performance.now();
    await store.transaction(({ users }) => users.insert(user(`offered-${number}`)));
    latencies.push(performance.now() - sentAt);
  };
  for (let now = startedAt; now < startedAt + milliseconds; now = performance.now()) {
    const due = ((now - startedAt) / 1000) * rate;
    while (pending.length < due) pending.push(write(pending.length));
    await setTimeout(TICK_MS);
  }
  await Promise.all(pending);
  return { latencies, offered: pending.length };
}

const TOGETHER = 1000;
/** Of 1,000 writes that come at once, no more than this part may cost a sync of its own. */
const SYNCS_AT_MOST = TOGETHER / 25;

export const groupCommit: Suite = {
  name: 'group-commit',
  about: '1,000 writes at once share a few syncs, and all are there after the process is gone',
  async run(budget) {
    let most = 0;
    const { findings, done } = await runRounds('group-commit', budget, () =>
      withTempFolder(async (folder) => {
        const counter = countSyncs(nodeDisk);
        const store = await openStore(folder, { disk: withSeededBug(counter.disk, budget.seededBug) });
        const oracle = new StoreOracle();
        const before = counter.syncs();
        await oracle.burst(store, TOGETHER);
        const syncs = counter.syncs() - before;
        most = Math.max(most, syncs);
        await copyAsAfterKill(folder, `${folder}-killed`);
        await store.close();
        if (syncs > SYNCS_AT_MOST) throw new Error(`${TOGETHER} writes took ${syncs} syncs`);
        const again = await openStore(`${folder}-killed`);
        await oracle.resume(again).finally(() => again.close());
      }),
    );
    budget.log(`${done} times ${TOGETHER} writes, ${most} syncs at most`);
    return findings;
  },
};

/** A store that is closed writes a checkpoint: what a kill leaves is the journal. The lock is that of this process. */
async function copyAsAfterKill(folder: string, copy: string): Promise<void> {
  await cp(folder, copy, { recursive: true });
  await rm(`${copy}/iam.lock`, { force: true });
}

function countSyncs(disk: Disk): { disk: Disk; syncs: () => number } {
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
  return { disk: { ...bindDisk(disk), open }, syncs: () => syncs };
}
