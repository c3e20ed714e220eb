/**
 * One process per store: the kernel locks the open lock file, also across containers, until its process ends. The contents
 * identify the holder for messages. The file is never removed or renamed: others would lock another file of its name.
 *
 * Without a kernel lock, `--unsafe-lock` permits a weaker check: whether the holder in the file still runs. Pid, boot id and
 * start time identify it, so that a reused pid, such as pid 1 of a restarted container, does not count as the holder.
 */
import * as z from 'zod';
import { pause } from '../../../lib/host.ts';
import { StoreOpenError } from '../open-error.ts';
import { type Disk, type DiskFile, getErrorCode, isDiskFull, writeAll } from './disk.ts';
import type { Layout } from './layout.ts';
import type { Processes, ProcessIdentity } from './processes.ts';
import { hasStableIdentifiers, isInPlace, type WatchedFile, watchFile } from './watched-file.ts';

const Holder = z.object({
  pid: z.number(),
  bootId: z.string(),
  startedAt: z.string(),
  namespace: z.string().optional(),
  host: z.string().optional(),
  lock: z.enum(['kernel', 'unsafe']),
  /** The lock file that it was written to: a copy is another file. */
  file: z.string().optional(),
});
type Holder = z.infer<typeof Holder>;

const ABOUT =
  'Names the process that has this store open. Do not remove this file while that process runs. In a copy of the folder it has no effect.';

/** The holder writes its file after it has the lock, so the file is read again a few times. */
const READ_ATTEMPTS = 20;
const READ_INTERVAL_MILLISECONDS = 10;
/** Someone may remove the file while it is opened. */
const OPEN_ATTEMPTS = 5;
/** Without the kernel lock, two processes that find the same dead holder both write; the last one wins. */
const UNSAFE_SETTLE_MILLISECONDS = 100;

export interface StoreLock {
  /** The lock file; undefined if the file system does not identify files reliably. */
  readonly watched: WatchedFile | undefined;
  /** Set if there was no space to write who holds the lock. */
  readonly diskFull: unknown;
  /** What the lock can't detect, one sentence each. */
  readonly warnings: readonly string[];
  release(): Promise<void>;
}

interface LockDeps {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly processes: Processes;
}

/** @throws StoreOpenError 'no-lock' if stores can't be locked on this system. Must be called before anything is written. */
export function assertLockAvailable(layout: Layout, { kernelLock, allowsUnsafeLock }: Processes): void {
  if (kernelLock === undefined && !allowsUnsafeLock)
    throw createNoLockError(layout, 'fs-native-extensions has no build for this system');
}

/** Acquires the lock. @throws StoreOpenError 'in-use' with the holder's pid, or 'no-lock'. */
export async function acquireLock(disk: Disk, layout: Layout, processes: Processes): Promise<StoreLock> {
  assertLockAvailable(layout, processes);
  const deps = { disk, layout, processes };
  const { file, kind } = await openLocked(deps);
  try {
    await assertNotHeld(deps, file);
    const diskFull = await tryWriteHolder(file, processes.self, kind);
    if (kind === 'unsafe') await assertWon(deps);
    const watched = await watchFile(layout.lock, file);
    const stable = await hasStableIdentifiers(disk, watched);
    return {
      watched: stable ? watched : undefined,
      diskFull,
      warnings: listWarnings(layout, kind, stable),
      // Others may lock the file while it still names this process, so its contents are removed first.
      release: () => file.truncate(0).finally(() => file.close()),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Locks the store for reading its files, without writing anything; several processes can at the same time. A store without
 * a lock file is not locked.
 * @returns the release function.
 * @throws StoreOpenError 'in-use' with the holder's pid.
 */
export async function acquireReadLock(disk: Disk, layout: Layout, processes: Processes): Promise<() => Promise<void>> {
  const deps = { disk, layout, processes };
  const file = await openUnlessMissing(disk, layout.lock);
  if (file === undefined) return async () => {};
  try {
    if ((await processes.kernelLock?.(file, 'shared')) === 'taken') throw await createTakenError(deps);
    await assertNotHeld(deps, file);
    return () => file.close();
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openUnlessMissing(disk: Disk, path: string): Promise<DiskFile | undefined> {
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

interface LockedFile {
  readonly file: DiskFile;
  readonly kind: 'kernel' | 'unsafe';
}

/** Opens and locks the file that has the name of the lock file. */
async function openLocked(deps: LockDeps): Promise<LockedFile> {
  const { disk, layout } = deps;
  for (let attempt = 1; ; attempt += 1) {
    const file = await disk.open(layout.lock, 'ensure');
    try {
      const kind = await lockFile(deps, file);
      // A file system without reliable identifiers is detected later.
      if (attempt === OPEN_ATTEMPTS || (await isInPlace(disk, await watchFile(layout.lock, file))))
        return { file, kind };
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
  }
}

async function lockFile(deps: LockDeps, file: DiskFile): Promise<'kernel' | 'unsafe'> {
  const { layout, processes } = deps;
  const outcome = (await processes.kernelLock?.(file, 'exclusive')) ?? 'unsupported';
  if (outcome === 'acquired') return 'kernel';
  if (outcome === 'taken') throw await createTakenError(deps);
  if (!processes.allowsUnsafeLock) throw createNoLockError(layout, 'its file system has no locks');
  return 'unsafe';
}

/** Asserts that no process has the store open that does not use the kernel lock: one with `--unsafe-lock`. */
async function assertNotHeld(deps: LockDeps, file: DiskFile): Promise<void> {
  const { disk, layout, processes } = deps;
  const holder = await readHolder(disk, layout);
  if (holder === undefined) return;
  // The kernel would have reported it.
  if (holder.lock === 'kernel' && processes.kernelLock !== undefined) return;
  if (holder.file !== undefined && holder.file !== (await file.identify())) return;
  if (await processes.isRunning(holder)) throw createInUseError(layout, holder, 'here');
}

/** With a kernel lock, the contents are for messages only, so a full disk does not prevent a start that serves reads. */
async function tryWriteHolder(file: DiskFile, self: ProcessIdentity, kind: 'kernel' | 'unsafe'): Promise<unknown> {
  try {
    await writeHolder(file, self, kind);
    return undefined;
  } catch (error) {
    if (kind !== 'kernel' || !isDiskFull(error)) throw error;
    await file.truncate(0);
    return error;
  }
}

async function writeHolder(file: DiskFile, self: ProcessIdentity, lock: 'kernel' | 'unsafe'): Promise<void> {
  const holder = { ...self, lock, file: await file.identify(), about: ABOUT };
  await file.truncate(0);
  await writeAll(file, Buffer.from(`${JSON.stringify(holder)}\n`), 0);
}

async function assertWon({ disk, layout, processes: { self } }: LockDeps): Promise<void> {
  await pause(UNSAFE_SETTLE_MILLISECONDS);
  const winner = await readHolder(disk, layout);
  const won = winner?.pid === self.pid && winner.startedAt === self.startedAt && winner.namespace === self.namespace;
  if (!won) throw createInUseError(layout, winner, 'here');
}

async function readHolder(disk: Disk, layout: Layout): Promise<Holder | undefined> {
  const bytes = await disk.read(layout.lock);
  try {
    return Holder.safeParse(JSON.parse(bytes?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}

/** Explains a lock that another process holds. The file names the previous holder until the new one has written it. */
async function createTakenError({ disk, layout, processes }: LockDeps): Promise<StoreOpenError> {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    if (attempt > 0) await pause(READ_INTERVAL_MILLISECONDS);
    const holder = await readHolder(disk, layout);
    if (holder === undefined) continue;
    if (await processes.isRunning(holder)) return createInUseError(layout, holder, 'here');
    if (isElsewhere(holder, processes.self)) return createInUseError(layout, holder, 'elsewhere');
  }
  return createInUseError(layout, undefined, 'here');
}

/** Whether the pid is of another container or machine. */
function isElsewhere(holder: Holder, self: ProcessIdentity): boolean {
  return holder.bootId !== self.bootId || holder.namespace !== self.namespace;
}

function createInUseError(layout: Layout, holder: Holder | undefined, where: 'here' | 'elsewhere'): StoreOpenError {
  const pid = holder?.pid;
  const named = pid === undefined ? 'another process, which is starting or reads it' : `process ${pid}`;
  const who = where === 'here' ? named : `${named} of another container or machine (host ${holder?.host ?? 'unknown'})`;
  const message = `${layout.folder} is in use by ${who}. Stop it, or use another folder.`;
  return new StoreOpenError(
    'in-use',
    holder?.lock === 'kernel' || pid === undefined ? message : `${message} ${explain(layout)}`,
    {
      file: layout.lock,
      pid,
    },
  );
}

/** For a holder that the kernel does not know: its file may have come with a copy. */
function explain({ lock }: Layout): string {
  return `${lock} names the process that opened the store; if this folder is a copy, remove that file.`;
}

function createNoLockError(layout: Layout, why: string): StoreOpenError {
  const message = `${layout.folder} can't be locked against a second server: ${why}. Use another system or file system, or --unsafe-lock if only one server can open this folder.`;
  return new StoreOpenError('no-lock', message, { file: layout.lock });
}

function listWarnings({ folder, lock }: Layout, kind: 'kernel' | 'unsafe', stable: boolean): string[] {
  const warnings: string[] = [];
  if (kind === 'unsafe')
    warnings.push(
      `the store ${folder} has no kernel lock, so a second server in another container is not detected, and both would lose data: make sure that only one server can open it`,
    );
  if (!stable)
    warnings.push(
      `the file system of ${lock} does not identify files reliably, so it is not detected if the lock file or the write-ahead log is replaced`,
    );
  return warnings;
}
