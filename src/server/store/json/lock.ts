/**
 * One process to a store. The lock file says who has it, in terms that no other process can match: a number that was
 * given out again, or the number 1 of a container that was started again, is not taken for the holder.
 *
 * On Linux a name in the abstract socket space decides, which goes with its process; elsewhere the file alone does.
 */
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { type Disk, getErrorCode, writeAll } from './disk.ts';
import type { Layout } from './layout.ts';
import { StoreOpenError } from './open-error.ts';
import type { Processes, ProcessIdentity } from './processes.ts';

const Identity = z.object({ pid: z.number(), bootId: z.string(), startedAt: z.string() });

/** A holder writes its file at once after making it: whoever sees it empty looks again a few times. */
const READ_ATTEMPTS = 20;
const READ_INTERVAL_MILLISECONDS = 10;
/** Where only the file decides, two that found the same dead holder both rename; the later one has the lock. */
const SETTLE_MILLISECONDS = 100;

/** Takes the lock; gives what gives it back. @throws StoreOpenError 'in-use' with the holder's pid. */
export async function acquireLock(disk: Disk, layout: Layout, processes: Processes): Promise<() => Promise<void>> {
  const acquired = await processes.acquire(await socketName(disk, layout));
  if (acquired === 'taken') {
    // Until the new holder has written the file, it names the one before.
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
 * Keeps others from opening the store while somebody looks at its files, and writes nothing; gives what ends it. Where
 * only the lock file decides, who opens it meanwhile is not seen.
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
  // Where a socket decides, and it is ours, nobody is about to write the file.
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
  // One of that name can only come from a process that had the same number and is gone.
  if (!(await createFile(disk, own, self))) {
    await disk.remove(own);
    await createFile(disk, own, self);
  }
  await disk.rename(own, layout.lock);
}

/** Whom the lock file names, as soon as that will do. */
async function waitForHolder(
  disk: Disk,
  layout: Layout,
  accepts: (holder: ProcessIdentity | undefined) => Promise<boolean>,
): Promise<ProcessIdentity | undefined> {
  for (let look = 0; look < READ_ATTEMPTS; look += 1) {
    if (look > 0) await setTimeout(READ_INTERVAL_MILLISECONDS);
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
  const who = pid === undefined ? 'another process that is just starting' : `process ${pid}`;
  const message = `${layout.folder} is in use by ${who}. Stop it, or use another folder.`;
  return new StoreOpenError('in-use', message, { file: layout.lock, pid });
}
