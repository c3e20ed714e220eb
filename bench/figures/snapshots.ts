/**
 * The time of restoring a snapshot and forking a store, compared with copying the same rows; and the CPU time of what tests
 * do with a server of the library.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { systemClock } from '../../src/server/lib/clock.ts';
import { readTables, replaceTables } from '../../src/server/snapshots/dump.ts';
import { type ForkableStore, openMemoryStore } from '../../src/server/store/memory/memory-store.ts';
import type { User } from '../../src/server/store/tables.ts';
import { type Figure, timeFigure } from '../figure.ts';
import { userIdOf } from '../names.ts';
import { root } from '../processes.ts';
import { mean, median } from '../statistics.ts';

const users = 10_000;
const rounds = 15;
/** Number of rows that differ when a snapshot is restored. */
const changedRows = 100;
const forksMeasured = 200;
const limits = { restoreMs: 20, forkMs: 10, forkMegabytes: 1 } as const;
const serversForked = 50;

export async function snapshotFigures(): Promise<Figure[]> {
  const store = await createFilledStore();
  const rows = await store.users.list();
  const copies = await measureRounds(() => structuredClone(rows));
  const snapshot = await readTables(store);
  const restores: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await deleteUsers(store, round);
    restores.push(await measure(() => store.transaction((tx) => replaceTables(tx, snapshot, new Set()))));
  }
  const forks = await measureRounds(() => store.fork());
  const megabytes = await measureForkMemory(store);
  return [
    createMsFigure('restore, 10,000 users', restores, copies, limits.restoreMs),
    createMsFigure('fork, 10,000 users', forks, copies, limits.forkMs),
    {
      name: 'memory of a fork, 10,000 users',
      ours: `${(megabytes * 1024).toFixed(0)} kB`,
      floor: '',
      result: megabytes,
      unit: 'MB',
      target: { atMost: limits.forkMegabytes },
    },
    ...(await libraryFigures()),
  ];
}

async function libraryFigures(): Promise<Figure[]> {
  const library: typeof import('../../src/testing/index.ts') = await import(
    pathToFileURL(path.join(root, 'dist/index.js')).href
  );
  const iam = await library.startServer();
  const forks: { stop(): Promise<void> }[] = [];
  const fork = async () => void forks.push(await iam.fork());
  const figures = [
    timeFigure('fork of a server', await measureCpu(rounds, fork), { atMost: 10 }),
    timeFigure(`${serversForked} forks of a server`, serversForked * (await measureCpu(serversForked, fork, mean)), {
      atMost: 500,
    }),
    timeFigure('reset of a server', await measureCpu(rounds, () => iam.reset()), { atMost: 10 }),
    timeFigure(
      'sandbox of a server',
      await measureCpu(rounds, () => iam.sandboxes.create(`bench-${iam.sandboxes.list().length}`)),
      { atMost: 5 },
    ),
  ];
  for (const server of [...forks, iam]) await server.stop();
  return figures;
}

/** Returns the CPU time of all threads in milliseconds. */
async function measureCpu(times: number, work: () => Promise<unknown>, average = median): Promise<number> {
  const measured: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    measured.push((user + system) / 1000);
  }
  return average(measured);
}

function createMsFigure(name: string, ours: readonly number[], floors: readonly number[], atMost: number): Figure {
  const [own, floor] = [median(ours), median(floors)];
  return {
    name,
    ours: `${own.toFixed(2)} ms`,
    floor: `${floor.toFixed(2)} ms`,
    result: own,
    unit: 'ms',
    target: { atMost },
  };
}

async function createFilledStore(): Promise<ForkableStore> {
  const store = openMemoryStore();
  const createdAt = systemClock.now().toISOString();
  await store.transaction(async (tx) => {
    for (let number = 0; number < users; number += 1) await tx.users.insert(createUser(number, createdAt));
  });
  return store;
}

function createUser(number: number, createdAt: string): User {
  const userId = userIdOf('users', number);
  const flags = { emailVerified: true, mobileVerified: false, lead: false, locked: false };
  return { userId, userName: userId, userEmail: `${userId}@example.com`, identities: [], createdAt, ...flags };
}

async function deleteUsers(store: ForkableStore, round: number): Promise<void> {
  await store.transaction(async (tx) => {
    for (let number = 0; number < changedRows; number += 1)
      await tx.users.delete(userIdOf('users', number * 50 + round));
  });
}

async function measureRounds(work: () => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await measure(work));
  return times;
}

async function measure(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Returns the memory of an unmodified fork in megabytes. */
async function measureForkMemory(store: ForkableStore): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const forks: ForkableStore[] = [];
  for (let count = 0; count < forksMeasured; count += 1) forks.push(await store.fork());
  const grown = used() - before;
  // Keeps the forks reachable until the measurement.
  if (forks.length !== forksMeasured) throw new Error('a fork is missing');
  return grown / forksMeasured / 1024 / 1024;
}
