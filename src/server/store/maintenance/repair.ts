/**
 * Repair of a damaged store: restores the consistent state right before the damage. Later commits are not applied, as
 * they may depend on lost ones.
 */

import { readCheckpoint } from '../file/checkpoint-adapter.ts';
import { type Checkpoint, checkpointSlices, countTableRows } from '../file/checkpoint-format.ts';
import { listRows } from '../file/checkpointer.ts';
import type { Disk, ReadableFile } from '../file/disk.ts';
import { closedSegmentFirst, type Layout } from '../file/layout.ts';
import { LineReader } from '../file/line-reader.ts';
import { createDamagedError, StoreOpenError } from '../file/open-error.ts';
import { replaceStore } from '../file/replacement.ts';
import { decodeEntry, decodeHeader, replay, type WalEntry } from '../file/wal-record.ts';
import { Overlay } from '../memory/overlay.ts';

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

/** Prepares a repair. @throws StoreOpenError if no state is recoverable. */
export async function prepareRepair(disk: Disk, layout: Layout): Promise<Repair> {
  const lines = await readLines(disk, layout);
  const recoverable = await findLongest(disk, layout, lines);
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
      return replaceStore(
        disk,
        layout,
        checkpointSlices({ sequence, epoch, writtenAt, tables: listRows(recoverable.base) }),
      );
    },
  };
}

/** Extends each readable checkpoint with the following commits and returns the longest result. */
async function findLongest(disk: Disk, layout: Layout, lines: WalLines): Promise<RecoverableState> {
  const candidates: RecoverableState[] = [];
  for (const file of [layout.checkpoint, layout.previous]) {
    const checkpoint = await tryReadCheckpoint(disk, layout, file);
    if (checkpoint) candidates.push(extendCheckpoint(checkpoint, lines));
  }
  if (lines.find((entry) => entry !== undefined)?.sequence === 1)
    candidates.push(extendCheckpoint({ sequence: 0, tables: new Map() }, lines));
  const [best, ...others] = candidates;
  if (best !== undefined) return others.reduce((one, other) => (other.sequence > one.sequence ? other : one), best);
  throw createDamagedError(
    layout.checkpoint,
    0,
    'no checkpoint can be read, and the write-ahead log does not start with the first commit',
  );
}

async function tryReadCheckpoint(disk: Disk, layout: Layout, file: string): Promise<Checkpoint | undefined> {
  try {
    return (await readCheckpoint(disk, layout, file))[0];
  } catch (error) {
    if (error instanceof StoreOpenError && error.kind === 'damaged') return undefined;
    throw error;
  }
}

/** Applies commits to a checkpoint up to the first missing or invalid one. */
function extendCheckpoint(
  { sequence, tables }: Pick<Checkpoint, 'sequence' | 'tables'>,
  lines: WalLines,
): RecoverableState {
  const base = new Overlay('base');
  for (const [name, rows] of tables) base.load(name, rows);
  let last = sequence;
  for (const entry of lines) {
    if (entry === undefined || entry.sequence <= last) continue;
    if (entry.sequence !== last + 1 || !tryReplay(entry, base)) break;
    last = entry.sequence;
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

async function readLines(disk: Disk, layout: Layout): Promise<WalLines> {
  const names = (await disk.list(layout.folder)) ?? [];
  const closed = names.filter((name) => closedSegmentFirst(name) !== undefined).sort(compareSegments);
  const files = [...closed.map(layout.path), layout.wal, layout.nextWal];
  const lines: (WalEntry | undefined)[] = [];
  for (const file of files) {
    const contents = await disk.openToRead(file);
    // Not as arguments of one call: there may be millions.
    for (const entry of contents === undefined ? [] : parseLines(contents)) lines.push(entry);
    await contents?.close();
  }
  return lines;
}

function compareSegments(one: string, other: string): number {
  return Number(closedSegmentFirst(one)) - Number(closedSegmentFirst(other));
}

function parseLines(contents: ReadableFile): (WalEntry | undefined)[] {
  const entries: (WalEntry | undefined)[] = [];
  const lines = new LineReader(contents);
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (lines.start > 0 || decodeHeader(line) === undefined)
      entries.push(lines.complete ? decodeEntry(line) : undefined);
  }
  return entries;
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
