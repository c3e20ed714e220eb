/** Verifies all files of a store without writing. */
import { createHash } from 'node:crypto';
import { assertOwnFile, type Chain } from '../file/chain.ts';
import { readCheckpoint, readRequired } from '../file/checkpoint-adapter.ts';
import { countTableRows, listRows } from '../file/checkpoint-format.ts';
import type { Disk, ReadableFile } from '../file/disk.ts';
import { closedSegmentFirst, FORMAT_VERSION, isTemporary, type Layout, replacementNumber } from '../file/layout.ts';
import { readSlices } from '../file/line-reader.ts';
import {
  assertNothingWritten,
  createAwaitsContentsError,
  createNoStoreError,
  type Marker,
  readMarker,
} from '../file/marker.ts';
import { inspect, type LoadResult } from '../file/recovery.ts';
import { readHeader, readSegment } from '../file/wal-segment.ts';
import { StoreOpenError } from '../open-error.ts';

export interface FileReport {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** A description of its contents. */
  readonly holds: string;
  /** The damage and its byte offset. */
  readonly damage?: { readonly offset: number | undefined; readonly what: string } | undefined;
}

export interface StoreReport {
  readonly folder: string;
  readonly formatVersion: number;
  /** Whether no file is damaged. */
  readonly sound: boolean;
  /** Whether a server can start on it. It then has all commits that can be read; see `notes` for the end of the log. */
  readonly opens: boolean;
  /** Why a server can't start on it. */
  readonly refusal?: string | undefined;
  /** The sequence of the last commit. */
  readonly sequence?: number | undefined;
  /** Row counts by table. */
  readonly tables?: Readonly<Record<string, number>> | undefined;
  readonly files: readonly FileReport[];
  /** What the next start completes or cleans up. */
  readonly notes: readonly string[];
}

/** Verifies a store. @throws StoreOpenError 'not-ours', 'newer-format', or 'io' if a file can't be read. */
export async function verifyStore(disk: Disk, layout: Layout): Promise<StoreReport> {
  const marker = await readMarker(disk, layout).catch(toDamage);
  if (marker === undefined) throw createNoStoreError(layout.folder);
  const names = [...((await disk.list(layout.folder)) ?? [])].sort();
  const files: FileReport[] = [];
  const folder = { disk, layout, names, marker };
  for (const name of names) files.push(...(await buildFileReport(folder, name)));
  const state = await readContents(folder);
  const refusal = state instanceof StoreOpenError ? state : undefined;
  const { notes = [], ...figures } = state instanceof StoreOpenError ? {} : state;
  return {
    folder: layout.folder,
    formatVersion: FORMAT_VERSION,
    sound: refusal === undefined && files.every(({ damage }) => damage === undefined),
    opens: refusal === undefined,
    refusal: refusal?.message,
    ...figures,
    files,
    notes: names.some(isTemporary) ? [...notes, 'A crash left temporary files. The next start removes them.'] : notes,
  };
}

/** Returns damage and foreign files as a result; throws any other error. */
function toDamage(error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError && (error.kind === 'damaged' || error.kind === 'foreign')) return error;
  throw error;
}

type StoreContents = Required<Pick<StoreReport, 'sequence' | 'tables' | 'notes'>>;

interface StoreFolder {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly names: readonly string[];
  /** Or why it can't be read. */
  readonly marker: Marker | StoreOpenError;
}

/** The contents that the next start would load, or the error that prevents it. */
async function readContents({ disk, layout, names, marker }: StoreFolder): Promise<StoreContents | StoreOpenError> {
  try {
    const replacement = findReplacement(names);
    if (replacement !== undefined) return await readReplacement(disk, layout, layout.path(replacement));
    if (marker instanceof StoreOpenError) return marker;
    if (marker.awaitsContents) return createAwaitsContentsError(layout.folder);
    if (!marker.initialised) return await readInterruptedStart(disk, layout);
    return toContents(await inspect(disk, layout));
  } catch (error) {
    return toDamage(error);
  }
}

async function readReplacement(disk: Disk, layout: Layout, path: string): Promise<StoreContents> {
  const [{ sequence, tables }] = await readCheckpoint(disk, layout, path);
  const notes = ['A restore or repair was interrupted after its commit. The next start completes it.'];
  return { sequence, tables: countTableRows(tables), notes };
}

async function readInterruptedStart(disk: Disk, layout: Layout): Promise<StoreContents> {
  await assertNothingWritten(disk, layout);
  return { sequence: 0, tables: {}, notes: ['The first start was interrupted. The next start repeats it.'] };
}

function toContents({ recovered, newest, unreadable }: LoadResult): StoreContents {
  const notes: string[] = [];
  if (newest.torn)
    notes.push(
      'The log ends with bytes that are no complete commit: a write that a crash interrupted, or commits that were damaged later. The file cannot show which. The next start saves them as .broken and goes on without them.',
    );
  if (unreadable !== undefined)
    notes.push('The previous checkpoint and the write-ahead log are complete. The next start uses them.');
  return { sequence: recovered.sequence, tables: countTableRows(listRows(recovered.base)), notes };
}

/** Empty for a file that is not part of the store. */
async function buildFileReport(folder: StoreFolder, name: string): Promise<FileReport[]> {
  const { disk, layout } = folder;
  const check = findFileCheck(folder, name);
  if (check === undefined) return [];
  const fileInfo = await readRequired(disk, layout.path(name), (contents) => {
    const hash = createHash('sha256');
    for (const bytes of readSlices(contents)) hash.update(bytes);
    return { name, bytes: contents.size, sha256: hash.digest('hex') };
  });
  const result = await check().catch(toDamage);
  if (!(result instanceof StoreOpenError)) return [{ ...fileInfo, holds: result }];
  const { offset, what = result.message } = result;
  return [{ ...fileInfo, holds: 'nothing reliable', damage: { offset, what } }];
}

/** The check for a file of this name, which returns a description of the contents. */
function findFileCheck(folder: StoreFolder, name: string): (() => Promise<string>) | undefined {
  const { disk, layout, marker } = folder;
  const path = layout.path(name);
  if (path === layout.marker) return async () => describeMarker(marker);
  if ([layout.checkpoint, layout.previous].includes(path) || replacementNumber(name) !== undefined)
    return () => describeCheckpoint(folder, path);
  const isNewest = [layout.wal, layout.nextWal].includes(path);
  if (isNewest || closedSegmentFirst(name) !== undefined)
    return () => readRequired(disk, path, (contents) => describeSegment(folder, path, contents, isNewest));
  return undefined;
}

/** Not without a readable marker, nor while a replacement gives the store another id. */
function assertOwn({ layout, names, marker }: StoreFolder, path: string, chain: Chain | undefined): void {
  if (marker instanceof StoreOpenError || findReplacement(names) !== undefined) return;
  assertOwnFile(path, chain?.storeId, layout.marker, marker.storeId);
}

function findReplacement(names: readonly string[]): string | undefined {
  return names.find((name) => replacementNumber(name) !== undefined);
}

function describeMarker(marker: Marker | StoreOpenError): string {
  if (marker instanceof StoreOpenError) throw marker;
  const state = marker.initialised ? 'initialised' : 'begun';
  return `the marker: ${state}, store ${marker.storeId}`;
}

async function describeCheckpoint(folder: StoreFolder, path: string): Promise<string> {
  const [{ sequence, writtenAt, chain, tables }] = await readCheckpoint(folder.disk, folder.layout, path);
  assertOwn(folder, path, chain);
  const count = Object.values(countTableRows(tables)).reduce((sum, rows) => sum + rows, 0);
  return `${count} rows, up to commit ${sequence}, written at ${writtenAt}`;
}

function describeSegment(folder: StoreFolder, path: string, contents: ReadableFile, isNewest: boolean): string {
  assertOwn(folder, path, readHeader(path, contents).chain);
  const { head, last, end, torn } = readSegment(path, contents, isNewest, () => {});
  const commits = last - head.first + 1;
  const what = commits === 0 ? 'no commits' : `${commits} commits, ${head.first} to ${last}`;
  return torn ? `${what}, and ${contents.size - end} bytes that are no complete commit` : what;
}
