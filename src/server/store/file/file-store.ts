/** The file engine: rows in memory, made durable in the files of one folder before a write is acknowledged. */

import { dirname } from 'node:path';
import type { Random } from '../../lib/random.ts';
import { systemTimer, type Timer } from '../../lib/timer.ts';
import type { Capacity } from '../memory/capacity.ts';
import { toStore } from '../memory/memory-store.ts';
import { Overlay } from '../memory/overlay.ts';
import { OverlayStore } from '../memory/overlay-store.ts';
import { StoreOpenError } from '../open-error.ts';
import type { Store } from '../store.ts';
import { startChain } from './chain.ts';
import { writeCheckpoint } from './checkpoint-adapter.ts';
import { listRows } from './checkpoint-format.ts';
import { Checkpointer, type CheckpointTuning, defaultTuning } from './checkpointer.ts';
import { type Disk, getErrorCode } from './disk.ts';
import type { LogStoreEvent } from './events.ts';
import { isInitialFile, type Layout, layoutOf, replacementNumber } from './layout.ts';
import { acquireLock, assertLockAvailable, type StoreLock } from './lock.ts';
import {
  assertNothingWritten,
  createAwaitsContentsError,
  createNotOursError,
  readMarker,
  writeMarker,
} from './marker.ts';
import type { Processes } from './processes.ts';
import { type RecoveredStore, recover } from './recovery.ts';
import { finishReplacement } from './replacement.ts';
import { createWal, Wal } from './wal.ts';

export interface FileStoreOptions {
  /** An absolute path. The folder is created if it does not exist. */
  readonly directory: string;
  readonly disk: Disk;
  readonly clock: { now(): Date };
  readonly processes: Processes;
  /** Throws if the folder must not be used. Called again with the lock: another user may have put one there meanwhile. */
  readonly assertTrusted?: (folder: string) => void;
  /** Default: that of the system. */
  readonly timer?: Timer;
  /** Creates the store id. */
  readonly random: Random;
  readonly log?: LogStoreEvent;
  readonly tuning?: Partial<CheckpointTuning>;
  readonly capacity?: Capacity;
  /** Monotonic milliseconds, to measure the disk. */
  readonly stopwatch?: { now(): number };
}

export interface FileStore extends Store {
  /** Whether the store is new and was never written to. */
  readonly fresh: boolean;
  /** Writes a checkpoint, unless nothing has changed. */
  checkpoint(): Promise<void>;
}

/** Opens the store in a folder, or creates one. @throws StoreOpenError; nothing is changed in that case. */
export async function openFileStore(options: FileStoreOptions): Promise<FileStore> {
  const layout = layoutOf(options.directory);
  try {
    return await openLocked(options, layout);
  } catch (error) {
    if (error instanceof StoreOpenError || getErrorCode(error) === undefined) throw error;
    const message = `${layout.folder} can't be read or written (${String(error)}). Check its permissions and the disk.`;
    throw new StoreOpenError('io', message, { file: layout.folder, cause: error });
  }
}

async function openLocked(options: FileStoreOptions, layout: Layout): Promise<FileStore> {
  const { disk, processes, assertTrusted = () => {}, log = () => {} } = options;
  assertTrusted(layout.folder);
  assertLockAvailable(layout, processes);
  await prepareFolder(disk, layout);
  const lock = await acquireLock(disk, layout, processes);
  try {
    assertTrusted(layout.folder);
    // Names that a killed process changed: each step from here on builds on them.
    await disk.syncFolder(layout.folder);
    await finishReplacement(disk, layout);
    const marker = await readMarker(disk, layout);
    if (marker?.awaitsContents) throw createAwaitsContentsError(layout.folder);
    if (!marker?.initialised) await initializeFiles(options, layout, marker?.storeId);
    const recovered = await recover({ disk, layout, log });
    return await assemble(options, layout, recovered, lock);
  } catch (error) {
    // Report why the store was not opened, even if the lock file can't be written.
    await lock.release().catch(() => {});
    throw error;
  }
}

/** Creates or claims the folder. @throws StoreOpenError if it contains files that are not of a store. */
export async function prepareFolder(disk: Disk, layout: Layout): Promise<void> {
  const names = await disk.list(layout.folder);
  if (names === undefined) {
    await makeFolder(disk, layout.folder);
    return;
  }
  // The process that created it may have been killed before the name was durable.
  await disk.syncFolder(dirname(layout.folder));
  // The marker may be damaged: a replacement is completed before it is read.
  if (names.some((name) => replacementNumber(name) !== undefined)) return;
  if ((await readMarker(disk, layout)) !== undefined) return;
  if (!names.every(isInitialFile)) throw createNotOursError(layout.folder);
  await disk.restrictFolder(layout.folder);
}

/** Creates a folder and its parents, accessible to their owner only. */
export async function makeFolder(disk: Disk, folder: string): Promise<void> {
  const parent = dirname(folder);
  if ((await disk.list(parent)) === undefined) await makeFolder(disk, parent);
  await disk.makeFolder(folder);
  await disk.syncFolder(parent);
}

/**
 * Initializes a new store. Until the marker confirms it, initialization can be repeated.
 * @param begun the id of an interrupted initialization, which some of the files may have
 */
async function initializeFiles(
  { disk, clock, random }: FileStoreOptions,
  layout: Layout,
  begun: string | undefined,
): Promise<void> {
  await assertNothingWritten(disk, layout);
  const chain = begun === undefined ? startChain(random) : { storeId: begun, lastHash: begun };
  const { storeId } = chain;
  await writeMarker(disk, layout, { storeId, initialised: false });
  await createWal(disk, layout, chain);
  const tables = listRows(new Overlay('base'));
  await writeCheckpoint(disk, layout, { sequence: 0, epoch: 0, writtenAt: clock.now().toISOString(), chain, tables });
  await writeMarker(disk, layout, { storeId, initialised: true });
}

async function assemble(
  options: FileStoreOptions,
  layout: Layout,
  recovered: RecoveredStore,
  lock: StoreLock,
): Promise<FileStore> {
  const { disk, clock, timer = systemTimer, log = () => {}, stopwatch } = options;
  const onAppend = () => checkpointer.onAppend();
  const beforeAppend = () => checkpointer.beforeAppend();
  const { watched: lockFile } = lock;
  const diskFull = lock.diskFull ?? recovered.keptTail?.diskFull;
  const wal = await Wal.open({ disk, layout, log, beforeAppend, onAppend, recovered, stopwatch, lockFile, diskFull });
  const overlayStore = new OverlayStore(recovered.base, wal, options.capacity);
  const tuning = { ...defaultTuning, ...options.tuning };
  const last = recovered.checkpoint;
  const checkpointer = new Checkpointer({ disk, layout, clock, timer, log, tuning, wal, overlayStore, last });
  if (recovered.sequence > last.sequence) checkpointer.onAppend();
  let closing: Promise<void> | undefined;
  const close = async () => {
    await overlayStore.close();
    await checkpointer.stop();
    // A failed checkpoint is logged; the write-ahead log contains all commits.
    await checkpointer.run().catch(() => {});
    await wal.close();
    await lock.release();
  };
  return {
    ...toStore(overlayStore),
    startWarnings: lock.warnings,
    fresh: recovered.sequence === 0,
    diskStats: () => wal.diskStats(),
    checkpoint: () => checkpointer.run(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
