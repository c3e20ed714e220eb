/**
 * Repair of a damaged store: restores the consistent state right before the damage. Later commits are not applied, as
 * they may depend on lost ones.
 */

import { assertOwnFile, type Chain } from '../file/chain.ts';
import { readCheckpoint } from '../file/checkpoint-adapter.ts';
import { type Checkpoint, countTableRows, listRows } from '../file/checkpoint-format.ts';
import type { Disk, ReadableFile } from '../file/disk.ts';
import { closedSegmentFirst, type Layout } from '../file/layout.ts';
import { LineReader } from '../file/line-reader.ts';
import { readMarker } from '../file/marker.ts';
import { loadRows } from '../file/recovery.ts';
import { type ReplacementDeps, replaceStore } from '../file/replacement.ts';
import { decodeEntry, decodeHeader, replay, type WalEntry, type WalHeader } from '../file/wal-record.ts';
import { Overlay } from '../memory/overlay.ts';
import { createDamagedError, StoreOpenError } from '../open-error.ts';

/** The number of lost changes to one table. */
export interface LostChanges {
  readonly table: string;
  readonly puts: number;
  readonly deletes: number;
}

export interface Repair {
  /** The sequence of the last commit that is retained. */
  readonly keeps: number;
  readonly rows: number;
  /** Later commits that are readable but dropped. */
  readonly lostCommits: number;
  readonly lost: readonly LostChanges[];
  /** Later log lines that are unreadable: a commit each, or parts of one. */
  readonly unreadableLines: number;
  /** Performs the repair. @returns the names of the quarantined files. */
  perform(writtenAt: string): Promise<string[]>;
}

/** Recovered rows, and the sequence of their last commit. */
interface RecoverableState {
  readonly base: Overlay;
  readonly sequence: number;
}

/** The lines of the write-ahead log, oldest first; undefined for an unreadable line. */
type WalLines = readonly (WalEntry | undefined)[];

/**
 * Prepares a repair.
 * @throws StoreOpenError 'damaged' if no state is recoverable, 'foreign' if a file is of another store: which of the
 * two is wanted, no program can know.
 */
export async function prepareRepair(deps: ReplacementDeps): Promise<Repair> {
  const { disk, layout } = deps;
  const log = await readLog(disk, layout);
  const checkpoints = await readCheckpoints(disk, layout);
  await assertOneStore(disk, layout, [...checkpoints, ...log.headers]);
  const { lines } = log;
  const recoverable = findLongest(layout, checkpoints, lines);
  const after = lines.filter((entry) => entry !== undefined && entry.sequence > recoverable.sequence) as WalEntry[];
  const rows = Object.values(countTableRows(listRows(recoverable.base))).reduce((sum, count) => sum + count, 0);
  const { sequence } = recoverable;
  return {
    keeps: sequence,
    rows,
    lostCommits: new Set(after.map((entry) => entry.sequence)).size,
    lost: countChanges(after),
    unreadableLines: lines.filter((entry) => entry === undefined).length,
    perform: (writtenAt) => {
      const epoch = lines.reduce((highest, entry) => Math.max(highest, entry?.epoch ?? 1), 1);
      return replaceStore(deps, { sequence, epoch, writtenAt, tables: listRows(recoverable.base) });
    },
  };
}

interface IdentifiedFile {
  readonly file: string;
  readonly chain?: Chain | undefined;
}

/** Compares all readable files with the marker, or with the first that has an id if the marker is damaged. */
async function assertOneStore(disk: Disk, layout: Layout, files: readonly IdentifiedFile[]): Promise<void> {
  const marker = await readMarker(disk, layout).catch(() => undefined);
  const identified = files.find(({ chain }) => chain !== undefined);
  const storeId = marker?.storeId ?? identified?.chain?.storeId;
  const expected = marker === undefined && identified !== undefined ? identified.file : layout.marker;
  for (const { file, chain } of files) assertOwnFile(file, chain?.storeId, expected, storeId);
}

/** Extends each readable checkpoint with the following commits and returns the longest result. */
function findLongest(layout: Layout, checkpoints: readonly Checkpoint[], lines: WalLines): RecoverableState {
  const candidates = checkpoints.map(({ sequence, tables, chain }) =>
    extendState({ sequence, tables, lastHash: chain?.lastHash }, lines),
  );
  const first = lines.find((entry) => entry !== undefined);
  if (first?.sequence === 1)
    candidates.push(extendState({ sequence: 0, tables: new Map(), lastHash: first.previousHash }, lines));
  const [best, ...others] = candidates;
  if (best !== undefined) return others.reduce((one, other) => (other.sequence > one.sequence ? other : one), best);
  throw createDamagedError(
    layout.checkpoint,
    0,
    'no checkpoint can be read, and the write-ahead log does not start with the first commit',
  );
}

async function readCheckpoints(disk: Disk, layout: Layout): Promise<(Checkpoint & IdentifiedFile)[]> {
  const checkpoints: (Checkpoint & IdentifiedFile)[] = [];
  for (const file of [layout.checkpoint, layout.previous]) {
    const checkpoint = await tryReadCheckpoint(disk, layout, file);
    if (checkpoint !== undefined) checkpoints.push({ ...checkpoint, file });
  }
  return checkpoints;
}

async function tryReadCheckpoint(disk: Disk, layout: Layout, file: string): Promise<Checkpoint | undefined> {
  try {
    const [checkpoint] = await readCheckpoint(disk, layout, file);
    loadRows(file, checkpoint.tables);
    return checkpoint;
  } catch (error) {
    if (error instanceof StoreOpenError && error.kind === 'damaged') return undefined;
    throw error;
  }
}

interface StartingPoint extends Pick<Checkpoint, 'sequence' | 'tables'> {
  readonly lastHash: string | undefined;
}

/** Applies commits up to the first missing or invalid one. Skips those of another copy of the store. */
function extendState({ sequence, tables, lastHash }: StartingPoint, lines: WalLines): RecoverableState {
  const base = new Overlay('base');
  for (const [name, rows] of tables) base.load(name, rows);
  let last = sequence;
  let hash = lastHash;
  for (const entry of lines) {
    if (entry === undefined || entry.sequence <= last) continue;
    if (entry.sequence !== last + 1) break;
    if (entry.previousHash !== hash) continue;
    if (!tryReplay(entry, base)) break;
    last = entry.sequence;
    hash = entry.hash;
  }
  return { base, sequence: last };
}

/** Replays into a scratch overlay first, so that no partial commit is applied. */
function tryReplay(entry: WalEntry, base: Overlay): boolean {
  try {
    replay(entry, new Overlay('base'));
  } catch {
    return false;
  }
  replay(entry, base);
  return true;
}

interface ReadableLog {
  readonly lines: WalLines;
  readonly headers: readonly IdentifiedFile[];
}

async function readLog(disk: Disk, layout: Layout): Promise<ReadableLog> {
  const names = (await disk.list(layout.folder)) ?? [];
  const closed = names.filter((name) => closedSegmentFirst(name) !== undefined).sort(compareSegments);
  const files = [...closed.map(layout.path), layout.wal, layout.nextWal];
  const lines: (WalEntry | undefined)[] = [];
  const headers: IdentifiedFile[] = [];
  for (const file of files) {
    const contents = await disk.openToRead(file);
    if (contents === undefined) continue;
    const { header, entries } = parseLines(contents);
    if (header !== undefined) headers.push({ file, chain: header.chain });
    // Not as arguments of one call: there may be millions.
    for (const entry of entries) lines.push(entry);
    await contents.close();
  }
  return { lines, headers };
}

function compareSegments(one: string, other: string): number {
  return Number(closedSegmentFirst(one)) - Number(closedSegmentFirst(other));
}

function parseLines(contents: ReadableFile): { header: WalHeader | undefined; entries: (WalEntry | undefined)[] } {
  const entries: (WalEntry | undefined)[] = [];
  let header: WalHeader | undefined;
  const lines = new LineReader(contents);
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (lines.start === 0) header = decodeHeader(line);
    if (lines.start > 0 || header === undefined) entries.push(lines.complete ? decodeEntry(line) : undefined);
  }
  return { header, entries };
}

function countChanges(entries: readonly WalEntry[]): LostChanges[] {
  const counts = new Map<string, { table: string; puts: number; deletes: number }>();
  for (const [kind, table] of entries.flatMap(({ changes }) => changes as [string, string][])) {
    const count = counts.get(table) ?? { table, puts: 0, deletes: 0 };
    if (kind === 'delete') count.deletes += 1;
    else count.puts += 1;
    counts.set(table, count);
  }
  return [...counts.values()].sort((one, other) => one.table.localeCompare(other.table));
}
