/** Crash recovery: loads the store from its files and completes interrupted operations. */
import { types } from 'node:util';
import { Overlay } from '../memory/overlay.ts';
import { createDamagedError, StoreOpenError } from '../open-error.ts';
import { DuplicateError } from '../store.ts';
import { assertOwnFile, type Chain, createForeignError } from './chain.ts';
import { readCheckpoint, readRequired } from './checkpoint-adapter.ts';
import type { Checkpoint } from './checkpoint-format.ts';
import { type Disk, isDiskFull, type ReadableFile, writeTemporaryFile } from './disk.ts';
import type { LogStoreEvent } from './events.ts';
import { closedSegmentFirst, isTemporary, type Layout } from './layout.ts';
import { readSlices } from './line-reader.ts';
import { readMarker } from './marker.ts';
import { replay, type WalHeader } from './wal-record.ts';
import { readHeader, readSegment, type WalSegment } from './wal-segment.ts';

export interface RecoveryResult {
  readonly base: Overlay;
  /** The sequence of the last commit. */
  readonly sequence: number;
  /** The epoch of the last start that wrote to the store. */
  readonly epoch: number;
  /** As of the last commit. */
  readonly chain: Chain;
  readonly checkpoint: { readonly sequence: number; readonly size: number };
  /** The closed segments, oldest first. */
  readonly closed: readonly ClosedSegment[];
  /** The active segment: its first commit, and the end of its valid part. */
  readonly wal: { readonly first: number; readonly end: number };
}

export interface RecoveredStore extends RecoveryResult {
  /** Set if the disk has no space to keep the torn tail of the log, which must be truncated before the next write. */
  readonly keptTail: KeptTail | undefined;
}

interface KeptTail {
  readonly diskFull: unknown;
  truncate(): Promise<void>;
}

export interface ClosedSegment {
  readonly file: string;
  readonly first: number;
}

/** The files of the write-ahead log, and the id that they must have. */
interface WalFiles {
  readonly disk: Disk;
  readonly marker: string;
  /** Undefined without a marker: then the checkpoint is missing, too. */
  readonly storeId: string | undefined;
  /** Oldest first. */
  readonly closed: readonly ClosedSegment[];
  /** `journal.next.jsonl` if a rotation was interrupted after it renamed the active segment. */
  readonly newest: string;
}

export interface RecoveryDeps {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly log: LogStoreEvent;
}

/** Recovers the store. @throws StoreOpenError for damage other than an unfinished write; nothing is changed then. */
export async function recover({ disk, layout, log }: RecoveryDeps): Promise<RecoveredStore> {
  const walFiles = await findWal(disk, layout);
  const { recovered, newest, unreadable } = await load(disk, layout, walFiles);
  await finishRotation(disk, layout, walFiles.newest);
  const keptTail = newest.torn ? await tryTruncateTail(disk, layout, newest, log) : undefined;
  if (unreadable !== undefined) await quarantineCheckpoint(disk, layout, recovered.sequence, unreadable, log);
  await removeTemporaryFiles(disk, layout);
  return { ...recovered, keptTail };
}

/** Without space, the store is served as it is: reads do not need the tail. */
async function tryTruncateTail(
  disk: Disk,
  layout: Layout,
  newest: WalSegment,
  log: LogStoreEvent,
): Promise<KeptTail | undefined> {
  const truncate = () => truncateTail(disk, layout, newest, log);
  try {
    await truncate();
    return undefined;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return { diskFull: error, truncate };
  }
}

/** Loads the store as `recover` does, without writing. @throws StoreOpenError. */
export async function inspect(disk: Disk, layout: Layout): Promise<LoadResult> {
  return load(disk, layout, await findWal(disk, layout));
}

async function findWal(disk: Disk, layout: Layout): Promise<WalFiles> {
  const names = (await disk.list(layout.folder)) ?? [];
  const closed: ClosedSegment[] = [];
  for (const name of names) {
    const first = closedSegmentFirst(name);
    if (first !== undefined) closed.push({ file: layout.path(name), first });
  }
  closed.sort((one, other) => one.first - other.first);
  const has = (file: string) => names.some((name) => layout.path(name) === file);
  const newest = !has(layout.wal) && has(layout.nextWal) ? layout.nextWal : layout.wal;
  const storeId = (await readMarker(disk, layout))?.storeId;
  return { disk, marker: layout.marker, storeId, closed, newest };
}

export interface LoadResult {
  readonly recovered: RecoveryResult;
  readonly newest: WalSegment;
  /** Why the current checkpoint was not used. */
  readonly unreadable?: StoreOpenError;
}

/** Falls back to the previous checkpoint if the log still contains all commits since. */
async function load(disk: Disk, layout: Layout, walFiles: WalFiles): Promise<LoadResult> {
  let unreadable: StoreOpenError;
  try {
    const current = await readOwnCheckpoint(disk, layout, layout.checkpoint, walFiles);
    return await buildStore(layout.checkpoint, current, walFiles);
  } catch (error) {
    const isCheckpoint = error instanceof StoreOpenError && error.file === layout.checkpoint;
    if (!isCheckpoint || error.kind !== 'damaged') throw error;
    unreadable = error;
  }
  try {
    const previous = await readOwnCheckpoint(disk, layout, layout.previous, walFiles);
    return { ...(await buildStore(layout.previous, previous, walFiles)), unreadable };
  } catch (error) {
    throw error instanceof StoreOpenError && error.kind === 'damaged' ? unreadable : error;
  }
}

async function readOwnCheckpoint(
  disk: Disk,
  layout: Layout,
  file: string,
  { marker, storeId }: WalFiles,
): ReturnType<typeof readCheckpoint> {
  const [checkpoint, size] = await readCheckpoint(disk, layout, file);
  assertOwnFile(file, checkpoint.chain?.storeId, marker, storeId);
  return [checkpoint, size];
}

/** Rows of one key or unique value would replace each other. @throws StoreOpenError 'damaged'. */
export function loadRows(file: string, tables: Checkpoint['tables']): Overlay {
  const base = new Overlay('base');
  try {
    for (const [name, rows] of tables) base.load(name, rows);
  } catch (error) {
    if (!(error instanceof DuplicateError)) throw error;
    throw createDamagedError(file, 0, `two rows of ${error.table} have the same ${error.constraint}`);
  }
  return base;
}

async function buildStore(
  file: string,
  [checkpoint, size]: [Checkpoint, size: number],
  walFiles: WalFiles,
): Promise<LoadResult> {
  const base = loadRows(file, checkpoint.tables);
  const newest = await replayWal(walFiles, checkpoint, base);
  return {
    newest,
    recovered: {
      base,
      sequence: newest.last,
      epoch: Math.max(checkpoint.epoch, newest.lastEpoch),
      chain: newest.chain,
      checkpoint: { sequence: checkpoint.sequence, size },
      closed: walFiles.closed,
      wal: { first: newest.head.first, end: newest.end },
    },
  };
}

/** Replays the commits after the checkpoint. The segments must be contiguous and overlap or adjoin the checkpoint. */
async function replayWal(walFiles: WalFiles, checkpoint: Checkpoint, base: Overlay): Promise<WalSegment> {
  const { disk, newest } = walFiles;
  let previous: WalSegment | undefined;
  for (const file of await listNeededSegments(walFiles, checkpoint.sequence)) {
    const segment = await readRequired(disk, file, (contents) =>
      replaySegment(contents, { file, isNewest: file === newest }, checkpoint, base),
    );
    assertContiguous(segment, previous, checkpoint);
    previous = segment;
  }
  const last = previous as WalSegment;
  if (last.last === checkpoint.sequence) assertContinues(last.file, last.chain.lastHash, checkpoint);
  if (last.last < checkpoint.sequence) {
    throw createDamagedError(
      last.file,
      last.end,
      `the write-ahead log ends with commit ${last.last}, before the checkpoint`,
    );
  }
  return last;
}

/**
 * Skips segments that end before the checkpoint: a crash during their removal may have left some of them. They must be
 * of this store, too, as they will be removed.
 */
async function listNeededSegments(walFiles: WalFiles, sequence: number): Promise<string[]> {
  const { closed, newest } = walFiles;
  for (const { file } of closed) await readOwnHeader(walFiles, file).catch(ignoreDamage);
  const { first } = await readOwnHeader(walFiles, newest);
  const all = [...closed, { file: newest, first }];
  const from = all.findLastIndex((segment) => segment.first <= sequence + 1);
  return all.slice(Math.max(0, from)).map((segment) => segment.file);
}

/** A needed segment is read again, and only such a one must be readable. */
function ignoreDamage(error: unknown): void {
  if (!(error instanceof StoreOpenError && error.kind === 'damaged')) throw error;
}

async function readOwnHeader({ disk, marker, storeId }: WalFiles, file: string): Promise<WalHeader> {
  const head = await readRequired(disk, file, (contents) => readHeader(file, contents));
  assertOwnFile(file, head.chain.storeId, marker, storeId);
  return head;
}

/** Asserts that the log contains the last commit of the checkpoint, not another one of the same number. */
function assertContinues(file: string, hash: string, { sequence, chain }: Checkpoint): void {
  if (hash === chain?.lastHash) return;
  throw createForeignError(
    file,
    `its commit ${sequence} is not that of the checkpoint, so they are of two copies of the store`,
  );
}

function replaySegment(
  contents: ReadableFile,
  { file, isNewest }: { readonly file: string; readonly isNewest: boolean },
  checkpoint: Checkpoint,
  base: Overlay,
): WalSegment {
  return readSegment(file, contents, isNewest, (entry, offset) => {
    if (entry.sequence <= checkpoint.sequence) return;
    if (entry.sequence === checkpoint.sequence + 1) assertContinues(file, entry.previousHash, checkpoint);
    try {
      replay(entry, base);
    } catch (error) {
      throw createDamagedError(file, offset, `commit ${entry.sequence} can't be applied: ${toOneLine(error)}`);
    }
  });
}

function assertContiguous(segment: WalSegment, before: WalSegment | undefined, checkpoint: Checkpoint): void {
  const { file, head } = segment;
  if (before === undefined) {
    if (head.first <= checkpoint.sequence + 1) return;
    throw createDamagedError(file, 0, `commits ${checkpoint.sequence + 1} to ${head.first - 1} before it are missing`);
  }
  if (head.first !== before.last + 1) {
    throw createDamagedError(
      file,
      0,
      `it starts with commit ${head.first}, but ${before.file} ends with ${before.last}`,
    );
  }
  if (head.chain.lastHash !== before.chain.lastHash)
    throw createForeignError(file, `it does not continue ${before.file}, so they are of two copies of the store`);
  if (head.epoch < before.lastEpoch)
    throw createDamagedError(file, 0, 'it is from an earlier start than the previous segment');
}

function toOneLine(error: unknown): string {
  return String(types.isNativeError(error) ? error.message : error).replaceAll(/\s+/g, ' ');
}

async function finishRotation(disk: Disk, layout: Layout, newest: string): Promise<void> {
  if (newest === layout.wal) return;
  await disk.rename(newest, layout.wal);
  await disk.syncFolder(layout.folder);
}

async function truncateTail(disk: Disk, layout: Layout, { last, end }: WalSegment, log: LogStoreEvent): Promise<void> {
  const quarantined = layout.path(`journal.${last + 1}.broken`);
  await readRequired(disk, layout.wal, (contents) =>
    writeTemporaryFile(disk, quarantined, readSlices(contents, { start: end })),
  );
  await disk.syncFolder(layout.folder);
  const wal = await disk.open(layout.wal, 'modify');
  try {
    await wal.truncate(end);
    await wal.sync();
  } finally {
    await wal.close();
  }
  log({ event: 'torn-tail', file: layout.wal, offset: end, quarantined });
}

async function quarantineCheckpoint(
  disk: Disk,
  layout: Layout,
  sequence: number,
  error: StoreOpenError,
  log: LogStoreEvent,
): Promise<void> {
  if ((await disk.list(layout.folder))?.some((name) => layout.path(name) === layout.checkpoint)) {
    await disk.rename(layout.checkpoint, layout.path(`iam.${sequence}.broken`));
    await disk.syncFolder(layout.folder);
  }
  log({ event: 'older-checkpoint-used', file: layout.previous, error });
}

async function removeTemporaryFiles(disk: Disk, layout: Layout): Promise<void> {
  for (const name of (await disk.list(layout.folder)) ?? []) {
    const path = layout.path(name);
    if (path === layout.nextWal || isTemporary(name)) await disk.remove(path);
  }
}
