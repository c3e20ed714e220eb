/** What can be done with a store that no server has open: looking, repairing, backing up, restoring. */
import { dirname, join } from 'node:path';
import { type BackupFacts, backupOfFiles, factsOf, readBackup } from './backup.ts';
import { type Disk, errorCode, replaceFile } from './disk.ts';
import { prepareFolder } from './file-store.ts';
import { type Layout, layoutOf } from './layout.ts';
import { holdForReading, takeLock } from './lock.ts';
import { noStore, readMarker } from './marker.ts';
import { StoreOpenError } from './open-error.ts';
import type { Processes } from './processes.ts';
import { planRepair, type RepairPlan } from './repair.ts';
import { replaceState } from './replacement.ts';
import { type StoreReport, verifyStore } from './verify.ts';

export interface OfflineParts {
  readonly disk: Disk;
  readonly processes: Processes;
  now(): Date;
}

/** A backup that was written. */
export interface WrittenBackup extends BackupFacts {
  readonly file: string;
}

/** What became of a folder, and the names of the files in it that were set aside. */
export interface Replaced {
  readonly folder: string;
  readonly setAside: readonly string[];
}

/** All of them throw StoreOpenError, and then nothing was changed. Folders and files are absolute paths. */
export interface StoreTools {
  /** Reads everything and writes nothing. */
  verify(folder: string): Promise<StoreReport>;
  /** What a repair would keep and lose; undefined where every file is as it was written. */
  planRepair(folder: string): Promise<Omit<RepairPlan, 'perform'> | undefined>;
  repair(folder: string): Promise<Replaced>;
  /** `to` is a file, which is replaced, or a folder, in which a new one is made. */
  backup(folder: string, to: string): Promise<WrittenBackup>;
  /** Keeps what a running server gave. */
  keepBackup(bytes: Buffer, to: string): Promise<WrittenBackup>;
  readBackup(file: string): Promise<BackupFacts>;
  /** Whether a restore would set something aside. Damage is something, and a store that is open is refused. */
  holdsStore(folder: string): Promise<boolean>;
  /** @param replace whether a store that is there may be set aside. */
  restore(file: string, folder: string, replace: boolean): Promise<Replaced>;
}

/** The tools for stores on a disk. */
export function createStoreTools({ disk, processes, now }: OfflineParts): StoreTools {
  const parts = { disk, processes };
  return explained({
    verify: (folder) => looking(parts, folder, (layout) => verifyStore(disk, layout)),
    planRepair: (folder) =>
      looking(parts, folder, async (layout) => {
        const plan = await repairOf(disk, layout);
        if (plan === undefined) return undefined;
        const { perform: _, ...figures } = plan;
        return figures;
      }),
    repair: (folder) =>
      changing(parts, folder, async (layout) => {
        const plan = await repairOf(disk, layout);
        return { folder, setAside: (await plan?.perform(now().toISOString())) ?? [] };
      }),
    backup: (folder, to) =>
      looking(parts, folder, async (layout) => {
        const slices = await backupOfFiles(disk, layout, now().toISOString());
        return keepBackup(disk, Buffer.concat([...slices]), to);
      }),
    keepBackup: (bytes, to) => keepBackup(disk, bytes, to),
    readBackup: async (file) => (await readBackup(disk, file)).facts,
    holdsStore: async (folder) => {
      const isThere = await holdsStore(disk, layoutOf(folder));
      return isThere && looking(parts, folder, async () => true);
    },
    restore: async (file, folder, replace) => {
      const { bytes } = await readBackup(disk, file);
      const layout = layoutOf(folder);
      if (!(await holdsStore(disk, layout))) await prepareFolder(disk, layout);
      return changing(parts, folder, async () => {
        if (!replace && (await holdsStore(disk, layout))) throw isThere(folder);
        return { folder, setAside: await replaceState(disk, layout, [bytes]) };
      });
    },
  });
}

type Parts = Pick<OfflineParts, 'disk' | 'processes'>;

/** What the system says of a file becomes a reason like any other. */
function explained(tools: StoreTools): StoreTools {
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    const run = tool as (...given: unknown[]) => Promise<unknown>;
    return [name, (...given: unknown[]) => run(...given).catch(explain)];
  });
  return Object.fromEntries(wrapped) as StoreTools;
}

function explain(error: unknown): never {
  if (error instanceof StoreOpenError || errorCode(error) === undefined) throw error;
  throw new StoreOpenError('io', `${(error as Error).message}. Check its rights and the disk.`, { cause: error });
}

async function looking<Result>(
  { disk, processes }: Parts,
  folder: string,
  work: (layout: Layout) => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(folder);
  await requireFolder(disk, layout);
  const release = await holdForReading(disk, layout, processes);
  return work(layout).finally(release);
}

async function changing<Result>(
  { disk, processes }: Parts,
  folder: string,
  work: (layout: Layout) => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(folder);
  await requireFolder(disk, layout);
  const unlock = await takeLock(disk, layout, processes);
  // The reason for not doing it matters more than a lock file that could not be removed.
  return work(layout).finally(() => unlock().catch(() => {}));
}

/** Nothing is written beside files that are no store: not even a lock. */
async function requireFolder(disk: Disk, layout: Layout): Promise<void> {
  const names = (await disk.list(layout.folder)) ?? [];
  if (names.length > 0 && !names.every((name) => name.startsWith('iam.lock')) && !(await isMarked(disk, layout)))
    throw noStore(layout.folder);
  if ((await disk.list(layout.folder)) === undefined) throw noStore(layout.folder);
}

async function isMarked(disk: Disk, layout: Layout): Promise<boolean> {
  return (await disk.read(layout.marker)) !== undefined;
}

async function repairOf(disk: Disk, layout: Layout): Promise<RepairPlan | undefined> {
  const { sound } = await verifyStore(disk, layout);
  return sound ? undefined : planRepair(disk, layout);
}

async function holdsStore(disk: Disk, layout: Layout): Promise<boolean> {
  try {
    return (await readMarker(disk, layout)) === 'initialised';
  } catch (error) {
    if (error instanceof StoreOpenError && error.kind === 'damaged') return true;
    throw error;
  }
}

function isThere(folder: string): StoreOpenError {
  const message = `${folder} holds a store already. Name another folder, or add --force to set that one aside.`;
  return new StoreOpenError('not-ours', message, { file: folder });
}

/** Whole or not at all, and readable by its owner alone. */
async function keepBackup(disk: Disk, bytes: Buffer, to: string): Promise<WrittenBackup> {
  const facts = factsOf(to, bytes);
  const file = (await isFolder(disk, to)) ? join(to, nameOf(facts)) : to;
  await replaceFile(disk, dirname(file), file, bytes);
  return { file, ...facts };
}

function isFolder(disk: Disk, path: string): Promise<boolean> {
  return disk.list(path).then(
    (names) => names !== undefined,
    () => false,
  );
}

/** Of the time, so that names are in the order of the backups. */
function nameOf({ writtenAt, sequence }: BackupFacts): string {
  return `iam-backup-${writtenAt.replaceAll(/[:.]/g, '')}-${sequence}.json`;
}
