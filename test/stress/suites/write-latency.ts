/** Measures the latency of writes and the number of syncs that they share. */
import { cp, rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Disk } from '../../../src/server/store/file/disk.ts';
import type { FileStore } from '../../../src/server/store/file/file-store.ts';
import { nodeDisk } from '../../../src/server/store/file/node-disk.ts';
import { user } from '../../server/store/rows.ts';
import { openStore } from '../../server/store/temp-store.ts';
import { bindDisk, bindDiskFile } from '../disk-methods.ts';
import { StoreOracle } from '../oracle.ts';
import { withSeededBug } from '../seeded-bugs.ts';
import { runRounds, type Suite } from '../suite.ts';
import { withTempFolder } from '../temp-folder.ts';

const OFFERED_IN_A_SECOND = 10_000;
const ACKNOWLEDGED_WITHIN_MS = 100;
const TICK_MS = 5;
/** A slower machine is offered this fraction of its capacity. */
const PART_OF_CAPACITY = 0.5;
/** On a busy machine the limit is this multiple of a bare sync at the same time. */
const SYNCS_ALLOWED = 4;

export const liveness: Suite = {
  name: 'liveness',
  about: '10,000 writes per second: the first one and the 99th percentile are acknowledged within 100 ms',
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

/** Formats milliseconds. */
export function formatMs(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`;
}

/** Returns the percentile of the values, with `part` from 0 to 1; 0 for no values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
}

/** Returns the 99th percentile of small synced appends without a store, measured in the same process. */
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

/** Returns the writes per second of 64 writers that wait for each write. */
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

/** Offers `rate` writes per second without waiting for acknowledgements (open loop). */
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

const CONCURRENT_WRITES = 1000;
/** Maximum number of syncs for 1,000 concurrent writes. */
const MAX_SYNCS = CONCURRENT_WRITES / 25;

export const groupCommit: Suite = {
  name: 'group-commit',
  about: '1,000 concurrent writes share a few syncs, and all of them survive a kill',
  async run(budget) {
    let max = 0;
    const { findings, done } = await runRounds('group-commit', budget, () =>
      withTempFolder(async (folder) => {
        const counter = countSyncs(nodeDisk);
        const store = await openStore(folder, { disk: withSeededBug(counter.disk, budget.seededBug) });
        const oracle = new StoreOracle();
        const before = counter.syncs();
        await oracle.burst(store, CONCURRENT_WRITES);
        const syncs = counter.syncs() - before;
        max = Math.max(max, syncs);
        await copyAsAfterKill(folder, `${folder}-killed`);
        await store.close();
        if (syncs > MAX_SYNCS) throw new Error(`${CONCURRENT_WRITES} writes took ${syncs} syncs`);
        const again = await openStore(`${folder}-killed`);
        await oracle.resume(again).finally(() => again.close());
      }),
    );
    budget.log(`${done} times ${CONCURRENT_WRITES} writes, at most ${max} syncs`);
    return findings;
  },
};

/** Copies the store as a kill would leave it, before a close writes a checkpoint; the lock of this process is removed. */
async function copyAsAfterKill(folder: string, copy: string): Promise<void> {
  await cp(folder, copy, { recursive: true });
  await rm(`${copy}/iam.lock`, { force: true });
}

function countSyncs(disk: Disk): { disk: Disk; syncs: () => number } {
  let syncs = 0;
  const open: Disk['open'] = async (path, mode) => {
    const file = await disk.open(path, mode);
    return {
      ...bindDiskFile(file),
      syncData: () => {
        syncs += 1;
        return file.syncData();
      },
    };
  };
  return { disk: { ...bindDisk(disk), open }, syncs: () => syncs };
}
