/**
 * One process per store. The lock file identifies the holder by pid, boot id and start time, so that a reused pid, such as
 * pid 1 of a restarted container, does not count as the holder.
 *
 * On Linux, an abstract socket is the lock: the kernel releases it with the process. Elsewhere the file is the only lock.
 */
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { type Disk, getErrorCode, writeAll } from './disk.ts';
import type { Layout } from './layout.ts';
import { StoreOpenError } from './open-error.ts';
import type { Processes, ProcessIdentity } from './processes.ts';

const Identity = z.object({ pid: z.number(), bootId: z.string(), startedAt: z.string() });

/** The holder creates its file and then writes it, so an empty file is read again a few times. */
const READ_ATTEMPTS = 20;
const READ_INTERVAL_MILLISECONDS = 10;
/** Without the socket, two processes that find the same dead holder both rename; the last rename wins. */
const SETTLE_MILLISECONDS = 100;

/** Acquires the lock. @returns its release function. @throws StoreOpenError 'in-use' with the holder's pid. */
export async function acquireLock(disk: Disk, layout: Layout, processes: Processes): Promise<() => Promise<void>> {
  const acquired = await processes.acquire(await socketName(disk, layout));
  if (acquired === 'taken') {
    // The file names the previous holder until the new one has written it.
    const running = async (holder: ProcessIdentity | undefined) => holder !== undefined && processes.isRunning(holder);
    throw createInUseError(layout, (await waitForHolder(disk, layout, running))?.pid);
  }
  const release = async () => {
    if (acquired !== 'unsupported') await acquired.release();
  };
  try {
    await acquireLockFile(disk, layout, processes, acquired === 'unsupported');
  } catch (error) {
    await release();
    throw error;
  }
  return async () => {
    if (isSameProcess(await readHolder(disk, layout), processes.self)) await disk.remove(layout.lock);
    await release();
  };
}

/**
 * Locks the store for reading its files, without writing anything. Without the abstract socket, a process that opens the
 * store meanwhile is not detected.
 * @returns the release function.
 * @throws StoreOpenError 'in-use' with the holder's pid.
 */
export async function acquireReadLock(disk: Disk, layout: Layout, processes: Processes): Promise<() => Promise<void>> {
  const acquired = await processes.acquire(await socketName(disk, layout));
  const holder = await readHolder(disk, layout);
  if (acquired === 'taken') throw createInUseError(layout, holder?.pid);
  const release = async () => (acquired === 'unsupported' ? undefined : acquired.release());
  if (holder === undefined || !(await processes.isRunning(holder))) return release;
  await release();
  throw createInUseError(layout, holder.pid);
}

async function socketName(disk: Disk, layout: Layout): Promise<string> {
  return `iam-store ${await disk.identify(layout.folder)}`;
}

async function acquireLockFile(disk: Disk, layout: Layout, processes: Processes, onlyFile: boolean): Promise<void> {
  if (await createFile(disk, layout.lock, processes.self)) return;
  // With the socket acquired, no other process is about to write the file.
  const readable = async (holder: ProcessIdentity | undefined) => holder !== undefined || !onlyFile;
  const holder = await waitForHolder(disk, layout, readable);
  if (holder !== undefined && (await processes.isRunning(holder))) throw createInUseError(layout, holder.pid);
  await replaceLockFile(disk, layout, processes.self);
  if (!onlyFile) return;
  await setTimeout(SETTLE_MILLISECONDS);
  const winner = await readHolder(disk, layout);
  if (!isSameProcess(winner, processes.self)) throw createInUseError(layout, winner?.pid);
}

async function createFile(disk: Disk, path: string, self: ProcessIdentity): Promise<boolean> {
  try {
    const file = await disk.open(path, 'create');
    await writeAll(file, Buffer.from(`${JSON.stringify(self)}\n`), 0).finally(() => file.close());
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function replaceLockFile(disk: Disk, layout: Layout, self: ProcessIdentity): Promise<void> {
  const own = `${layout.lock}.${self.pid}`;
  // An existing file of this name is from a dead process with the same pid.
  if (!(await createFile(disk, own, self))) {
    await disk.remove(own);
    await createFile(disk, own, self);
  }
  await disk.rename(own, layout.lock);
}

/** Reads the lock file until `accepts` matches its holder; undefined after the last attempt. */
async function waitForHolder(
  disk: Disk,
  layout: Layout,
  accepts: (holder: ProcessIdentity | undefined) => Promise<boolean>,
): Promise<ProcessIdentity | undefined> {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    if (attempt > 0) await setTimeout(READ_INTERVAL_MILLISECONDS);
    const holder = await readHolder(disk, layout);
    if (await accepts(holder)) return holder;
  }
  return undefined;
}

async function readHolder(disk: Disk, layout: Layout): Promise<ProcessIdentity | undefined> {
  const bytes = await disk.read(layout.lock);
  try {
    return Identity.safeParse(JSON.parse(bytes?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}

function isSameProcess(one: ProcessIdentity | undefined, other: ProcessIdentity): boolean {
  return one?.pid === other.pid && one.bootId === other.bootId && one.startedAt === other.startedAt;
}

function createInUseError(layout: Layout, pid: number | undefined): StoreOpenError {
  const who = pid === undefined ? 'another process that is starting' : `process ${pid}`;
  const message = `${layout.folder} is in use by ${who}. Stop it, or use another folder.`;
  return new StoreOpenError('in-use', message, { file: layout.lock, pid });
}
