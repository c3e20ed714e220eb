/** Operations on a store that no server has open: verify, repair, back up, restore. */
import { dirname } from 'node:path';
import { type Disk, getErrorCode, writeTemporaryFile } from '../file/disk.ts';
import { makeFolder, prepareFolder } from '../file/file-store.ts';
import { type Layout, layoutOf } from '../file/layout.ts';
import { toReadableFile } from '../file/line-reader.ts';
import { acquireLock, acquireReadLock } from '../file/lock.ts';
import { createNoStoreError, readMarker } from '../file/marker.ts';
import type { Processes } from '../file/processes.ts';
import { type ReplacementDeps, replaceStore } from '../file/replacement.ts';
import { StoreOpenError } from '../open-error.ts';
import {
  type Backup,
  type BackupInfo,
  createBackupFromFiles,
  type LoadedBackup,
  readBackup,
  readBackupInfo,
} from './backup.ts';
import { type CopyDeps, copyToDatabase, copyToFolder, type DatabaseTarget } from './copy-database.ts';
import type { RowsDigest } from './digest.ts';
import { prepareRepair, type Repair } from './repair.ts';
import { type StoreReport, verifyStore } from './verify.ts';

export interface OfflineStoreDeps extends CopyDeps {
  readonly processes: Processes;
  now(): Date;
  /** @throws StoreOpenError 'not-trusted' for the folder of another user. */
  assertTrusted(folder: string): void;
}

/** Where a backup is written. */
export interface BackupTarget {
  readonly file: string;
  /** A folder to create for the file. */
  readonly newFolder?: string | undefined;
  /** Whether an existing file may be replaced. */
  readonly replace: boolean;
}

export interface BackupFile extends BackupInfo {
  readonly file: string;
}

/** The folder, and the names of the files that were quarantined in it. */
export interface ReplacementResult {
  readonly folder: string;
  readonly setAside: readonly string[];
}

/** All methods throw StoreOpenError and change nothing in that case. Folders and files are absolute paths. */
export interface OfflineStore {
  /** Verifies all files without writing. */
  verify(folder: string): Promise<StoreReport>;
  /** Previews a repair; undefined if no file is damaged. */
  previewRepair(folder: string): Promise<Omit<Repair, 'perform'> | undefined>;
  repair(folder: string): Promise<ReplacementResult>;
  /** Backs up the files of a store; undefined if the file exists and may not be replaced. */
  backup(folder: string, target: BackupTarget): Promise<BackupFile | undefined>;
  /** Stores the backup that a running server returned; undefined if the file exists and may not be replaced. */
  saveBackup(bytes: Buffer, target: BackupTarget): Promise<BackupFile | undefined>;
  /** Reads a backup, also its contents: the file can change before it is restored. */
  readBackup(file: string): Promise<LoadedBackup>;
  /** Whether a restore would quarantine an existing store, also a damaged one. @throws StoreOpenError if it is open. */
  holdsStore(folder: string): Promise<boolean>;
  /** @param backup a file, or what was read from it @param replace whether an existing store may be quarantined */
  restore(backup: string | LoadedBackup, folder: string, replace: boolean): Promise<ReplacementResult>;
  /** Copies all rows into an empty schema of a database. */
  copyToDatabase(folder: string, to: DatabaseTarget): Promise<RowsDigest>;
  /** Copies all rows of a database into a folder without a store. */
  copyToFolder(from: DatabaseTarget, folder: string): Promise<RowsDigest>;
}

export function createOfflineStore({ processes, now, assertTrusted, ...copyDeps }: OfflineStoreDeps): OfflineStore {
  const { disk, random } = copyDeps;
  const deps = { disk, processes, assertTrusted };
  return withExplainedErrors({
    verify: (folder) => withReadLock(deps, folder, (layout) => verifyStore(disk, layout)),
    previewRepair: (folder) =>
      withReadLock(deps, folder, async (layout) => {
        const repair = await findRepair({ disk, layout, random });
        if (repair === undefined) return undefined;
        const { perform: _, ...figures } = repair;
        return figures;
      }),
    repair: (folder) =>
      withWriteLock(deps, folder, async (layout) => {
        const repair = await findRepair({ disk, layout, random });
        return { folder, setAside: (await repair?.perform(now().toISOString())) ?? [] };
      }),
    backup: (folder, target) =>
      withReadLock(deps, folder, async (layout) => {
        return saveBackup(disk, await createBackupFromFiles(disk, layout, now().toISOString()), target);
      }),
    saveBackup: async (bytes, target) => {
      const { bytes: _, ...info } = readBackupInfo(target.file, toReadableFile(bytes));
      return saveBackup(disk, { info, slices: [bytes] }, target);
    },
    readBackup: (file) => readBackup(disk, file),
    holdsStore: async (folder) => {
      assertTrusted(folder);
      const exists = await holdsStore(disk, layoutOf(folder));
      return exists && withReadLock(deps, folder, async () => true);
    },
    restore: async (backup, folder, replace) => {
      const { contents } = typeof backup === 'string' ? await readBackup(disk, backup) : backup;
      assertTrusted(folder);
      const layout = layoutOf(folder);
      if (!(await holdsStore(disk, layout))) await prepareFolder(disk, layout);
      return withWriteLock(deps, folder, async () => {
        if (!replace && (await holdsStore(disk, layout))) throw createStoreExistsError(folder);
        return { folder, setAside: await replaceStore({ disk, layout, random }, contents) };
      });
    },
    copyToDatabase: (folder, to) =>
      withReadLock(deps, folder, (layout) => copyToDatabase(layout, to, { ...copyDeps, now })),
    copyToFolder: async (from, folder) => {
      assertTrusted(folder);
      const layout = layoutOf(folder);
      if (await holdsStore(disk, layout)) throw createStoreExistsError(folder);
      await prepareFolder(disk, layout);
      return withWriteLock(deps, folder, () => copyToFolder(from, layout, { ...copyDeps, now }, now().toISOString()));
    },
  });
}

type LockDeps = Pick<OfflineStoreDeps, 'disk' | 'processes' | 'assertTrusted'>;

/** Wraps system errors in StoreOpenError. */
function withExplainedErrors(store: OfflineStore): OfflineStore {
  const wrapped = Object.entries(store).map(([name, method]) => {
    const run = method as (...args: unknown[]) => Promise<unknown>;
    return [name, (...args: unknown[]) => run(...args).catch(explain)];
  });
  return Object.fromEntries(wrapped) as OfflineStore;
}

function explain(error: unknown): never {
  if (error instanceof StoreOpenError || getErrorCode(error) === undefined) throw error;
  throw new StoreOpenError('io', `${(error as Error).message}. Check its permissions and the disk.`, { cause: error });
}

async function withReadLock<Result>(
  { disk, processes, assertTrusted }: LockDeps,
  folder: string,
  work: (layout: Layout) => Promise<Result>,
): Promise<Result> {
  assertTrusted(folder);
  const layout = layoutOf(folder);
  await assertStoreFolder(disk, layout);
  const release = await acquireReadLock(disk, layout, processes);
  return workTrusted(assertTrusted, layout, work).finally(release);
}

async function withWriteLock<Result>(
  { disk, processes, assertTrusted }: LockDeps,
  folder: string,
  work: (layout: Layout) => Promise<Result>,
): Promise<Result> {
  assertTrusted(folder);
  const layout = layoutOf(folder);
  await assertStoreFolder(disk, layout);
  const lock = await acquireLock(disk, layout, processes);
  // Report the error of `work`, even if the lock file can't be written.
  return workTrusted(assertTrusted, layout, work).finally(() => lock.release().catch(() => {}));
}

/** Checks again with the lock: another user may have put a folder there meanwhile. */
async function workTrusted<Result>(
  assertTrusted: LockDeps['assertTrusted'],
  layout: Layout,
  work: (layout: Layout) => Promise<Result>,
): Promise<Result> {
  assertTrusted(layout.folder);
  return work(layout);
}

/** Checks before locking, so that no lock file is written to a folder that is not a store. */
async function assertStoreFolder(disk: Disk, layout: Layout): Promise<void> {
  const names = (await disk.list(layout.folder)) ?? [];
  if (names.length > 0 && !names.every((name) => name.startsWith('iam.lock')) && !(await hasMarker(disk, layout)))
    throw createNoStoreError(layout.folder);
  if ((await disk.list(layout.folder)) === undefined) throw createNoStoreError(layout.folder);
}

async function hasMarker(disk: Disk, layout: Layout): Promise<boolean> {
  return (await disk.read(layout.marker)) !== undefined;
}

async function findRepair(deps: ReplacementDeps): Promise<Repair | undefined> {
  const { sound } = await verifyStore(deps.disk, deps.layout);
  return sound ? undefined : prepareRepair(deps);
}

async function holdsStore(disk: Disk, layout: Layout): Promise<boolean> {
  try {
    return (await readMarker(disk, layout))?.initialised ?? false;
  } catch (error) {
    if (error instanceof StoreOpenError && error.kind === 'damaged') return true;
    throw error;
  }
}

function createStoreExistsError(folder: string): StoreOpenError {
  const message = `${folder} already contains a store. Specify another folder, or use --force to move the existing store aside.`;
  return new StoreOpenError('not-ours', message, { file: folder });
}

/** Writes a backup atomically, readable by its owner only. */
async function saveBackup(disk: Disk, backup: Backup, target: BackupTarget): Promise<BackupFile | undefined> {
  const { file, newFolder, replace } = target;
  if (newFolder !== undefined && (await disk.list(newFolder)) === undefined) await makeFolder(disk, newFolder);
  if (!replace && !(await claimFile(disk, file))) return undefined;
  let bytes: number;
  try {
    await disk.remove(`${file}.tmp`).catch(ignoreMissing);
    bytes = await writeTemporaryFile(disk, `${file}.tmp`, backup.slices, 'create');
    await disk.rename(`${file}.tmp`, file);
  } catch (error) {
    await disk.remove(`${file}.tmp`).catch(() => {});
    // The empty file of the claim; an existing file stays as it was.
    if (!replace) await disk.remove(file).catch(() => {});
    throw error;
  }
  await disk.syncFolder(dirname(file));
  return { file, ...backup.info, bytes };
}

function ignoreMissing(error: unknown): void {
  if (getErrorCode(error) !== 'ENOENT') throw error;
}

/** Creates an empty file. Renaming alone would replace a file that another process creates meanwhile. */
async function claimFile(disk: Disk, file: string): Promise<boolean> {
  try {
    await (await disk.open(file, 'create')).close();
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}
