/** What can be done with a store that no server has open: looking, repairing, backing up, restoring. */
import { dirname, join } from 'node:path';
import { type BackupInfo, createBackupFromFiles, readBackup, readBackupInfo } from './backup.ts';
import { type Disk, getErrorCode, replaceFileAtomically } from './disk.ts';
import { prepareFolder } from './file-store.ts';
import { type Layout, layoutOf } from './layout.ts';
import { acquireLock, acquireReadLock } from './lock.ts';
import { createNoStoreError, readMarker } from './marker.ts';
import { StoreOpenError } from './open-error.ts';
import type { Processes } from './processes.ts';
import { prepareRepair, type Repair } from './repair.ts';
import { replaceStore } from './replacement.ts';
import { type StoreReport, verifyStore } from './verify.ts';

export interface OfflineStoreDeps {
  readonly disk: Disk;
  readonly processes: Processes;
  now(): Date;
}

/** A backup that was written. */
export interface BackupFile extends BackupInfo {
  readonly file: string;
}

/** What became of a folder, and the names of the files in it that were set aside. */
export interface ReplacementResult {
  readonly folder: string;
  readonly setAside: readonly string[];
}

/** All of them throw StoreOpenError, and then nothing was changed. Folders and files are absolute paths. */
export interface OfflineStore {
  /** Reads everything and writes nothing. */
  verify(folder: string): Promise<StoreReport>;
  /** What a repair would keep and lose; undefined where every file is as it was written. */
  previewRepair(folder: string): Promise<Omit<Repair, 'perform'> | undefined>;
  repair(folder: string): Promise<ReplacementResult>;
  /** `to` is a file, which is replaced, or a folder, in which a new one is made. */
  backup(folder: string, to: string): Promise<BackupFile>;
  /** Keeps what a running server gave. */
  saveBackup(bytes: Buffer, to: string): Promise<BackupFile>;
  readBackup(file: string): Promise<BackupInfo>;
  /** Whether a restore would set something aside. Damage is something, and a store that is open is refused. */
  holdsStore(folder: string): Promise<boolean>;
  /** @param replace whether a store that is there may be set aside. */
  restore(file: string, folder: string, replace: boolean): Promise<ReplacementResult>;
}

/** The tools for stores on a disk. */
export function createOfflineStore({ disk, processes, now }: OfflineStoreDeps): OfflineStore {
  const deps = { disk, processes };
  return withExplainedErrors({
    verify: (folder) => withReadLock(deps, folder, (layout) => verifyStore(disk, layout)),
    previewRepair: (folder) =>
      withReadLock(deps, folder, async (layout) => {
        const repair = await findRepair(disk, layout);
        if (repair === undefined) return undefined;
        const { perform: _, ...figures } = repair;
        return figures;
      }),
    repair: (folder) =>
      withWriteLock(deps, folder, async (layout) => {
        const repair = await findRepair(disk, layout);
        return { folder, setAside: (await repair?.perform(now().toISOString())) ?? [] };
      }),
    backup: (folder, to) =>
      withReadLock(deps, folder, async (layout) => {
        const slices = await createBackupFromFiles(disk, layout, now().toISOString());
        return saveBackup(disk, Buffer.concat([...slices]), to);
      }),
    saveBackup: (bytes, to) => saveBackup(disk, bytes, to),
    readBackup: async (file) => (await readBackup(disk, file)).info,
    holdsStore: async (folder) => {
      const isThere = await holdsStore(disk, layoutOf(folder));
      return isThere && withReadLock(deps, folder, async () => true);
    },
    restore: async (file, folder, replace) => {
      const { bytes } = await readBackup(disk, file);
      const layout = layoutOf(folder);
      if (!(await holdsStore(disk, layout))) await prepareFolder(disk, layout);
      return withWriteLock(deps, folder, async () => {
        if (!replace && (await holdsStore(disk, layout))) throw createStoreExistsError(folder);
        return { folder, setAside: await replaceStore(disk, layout, [bytes]) };
      });
    },
  });
}

type LockDeps = Pick<OfflineStoreDeps, 'disk' | 'processes'>;

/** What the system says of a file becomes a reason like any other. */
function withExplainedErrors(tools: OfflineStore): OfflineStore {
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    const run = tool as (...given: unknown[]) => Promise<unknown>;
    return [name, (...given: unknown[]) => run(...given).catch(explain)];
  });
  return Object.fromEntries(wrapped) as OfflineStore;
}

function explain(error: unknown): never {
  if (error instanceof StoreOpenError || getErrorCode(error) === undefined) throw error;
  throw new StoreOpenError('io', `${(error as Error).message}. Check its rights and the disk.`, { cause: error });
}

async function withReadLock<Result>(
  { disk, processes }: LockDeps,
  folder: string,
  work: (layout: Layout) => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(folder);
  await assertStoreFolder(disk, layout);
  const release = await acquireReadLock(disk, layout, processes);
  return work(layout).finally(release);
}

async function withWriteLock<Result>(
  { disk, processes }: LockDeps,
  folder: string,
  work: (layout: Layout) => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(folder);
  await assertStoreFolder(disk, layout);
  const unlock = await acquireLock(disk, layout, processes);
  // The reason for not doing it matters more than a lock file that could not be removed.
  return work(layout).finally(() => unlock().catch(() => {}));
}

/** Nothing is written beside files that are no store: not even a lock. */
async function assertStoreFolder(disk: Disk, layout: Layout): Promise<void> {
  const names = (await disk.list(layout.folder)) ?? [];
  if (names.length > 0 && !names.every((name) => name.startsWith('iam.lock')) && !(await hasMarker(disk, layout)))
    throw createNoStoreError(layout.folder);
  if ((await disk.list(layout.folder)) === undefined) throw createNoStoreError(layout.folder);
}

async function hasMarker(disk: Disk, layout: Layout): Promise<boolean> {
  return (await disk.read(layout.marker)) !== undefined;
}

async function findRepair(disk: Disk, layout: Layout): Promise<Repair | undefined> {
  const { sound } = await verifyStore(disk, layout);
  return sound ? undefined : prepareRepair(disk, layout);
}

async function holdsStore(disk: Disk, layout: Layout): Promise<boolean> {
  try {
    return (await readMarker(disk, layout)) === 'initialised';
  } catch (error) {
    if (error instanceof StoreOpenError && error.kind === 'damaged') return true;
    throw error;
  }
}

function createStoreExistsError(folder: string): StoreOpenError {
  const message = `${folder} holds a store already. Name another folder, or add --force to set that one aside.`;
  return new StoreOpenError('not-ours', message, { file: folder });
}

/** Whole or not at all, and readable by its owner alone. */
async function saveBackup(disk: Disk, bytes: Buffer, to: string): Promise<BackupFile> {
  const info = readBackupInfo(to, bytes);
  const file = (await isFolder(disk, to)) ? join(to, formatBackupName(info)) : to;
  await replaceFileAtomically(disk, dirname(file), file, bytes);
  return { file, ...info };
}

function isFolder(disk: Disk, path: string): Promise<boolean> {
  return disk.list(path).then(
    (names) => names !== undefined,
    () => false,
  );
}

/** Of the time, so that names are in the order of the backups. */
function formatBackupName({ writtenAt, sequence }: BackupInfo): string {
  return `iam-backup-${writtenAt.replaceAll(/[:.]/g, '')}-${sequence}.json`;
}
