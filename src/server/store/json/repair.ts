/**
 * What can be kept of a damaged store: the state as it was right before the damage, as a whole. Nothing is guessed and
 * nothing is picked from what comes after: later commits may rest upon what is lost.
 */
import { Overlay } from '../overlay.ts';
import { readCheckpoint } from './checkpoint-adapter.ts';
import { type Checkpoint, checkpointSlices, countTableRows } from './checkpoint-format.ts';
import { listRows } from './checkpointer.ts';
import type { Disk } from './disk.ts';
import { closedSegmentFirst, type Layout } from './layout.ts';
import { createDamagedError, StoreOpenError } from './open-error.ts';
import { replaceStore } from './replacement.ts';
import { decodeEntry, decodeHeader, replay, type WalEntry } from './wal-record.ts';

/** Changes of one kind to rows of one table that are lost. */
export interface LostChanges {
  readonly table: string;
  readonly puts: number;
  readonly deletes: number;
}

export interface Repair {
  /** The last commit that is kept. */
  readonly keeps: number;
  readonly rows: number;
  /** Commits after it that can still be read, but not be relied on. */
  readonly lostCommits: number;
  readonly lost: readonly LostChanges[];
  /** Lines of the journal after it that can't be read at all: a commit each, or parts of one. */
  readonly unreadableLines: number;
  /** Makes it so. @returns the names of the files that were set aside. */
  perform(writtenAt: string): Promise<string[]>;
}

/** A state, and how far it got. */
interface RecoverableState {
  readonly base: Overlay;
  readonly sequence: number;
}

/** The lines of the journal, oldest first: a commit, or undefined for what is none. */
type WalLines = readonly (WalEntry | undefined)[];

/** What would be kept and what would be lost. @throws StoreOpenError where there is nothing to begin with. */
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
      const epoch = Math.max(1, ...lines.map((entry) => entry?.epoch ?? 1));
      return replaceStore(
        disk,
        layout,
        checkpointSlices({ sequence, epoch, writtenAt, tables: listRows(recoverable.base) }),
      );
    },
  };
}

/** Of the checkpoints that can be read, with the commits that follow, whatever reaches farthest. */
async function findLongest(disk: Disk, layout: Layout, lines: WalLines): Promise<RecoverableState> {
  const found: RecoverableState[] = [];
  for (const file of [layout.checkpoint, layout.previous]) {
    const checkpoint = await readSoundCheckpoint(disk, layout, file);
    if (checkpoint) found.push(extendCheckpoint(checkpoint, lines));
  }
  if (lines.find((entry) => entry !== undefined)?.sequence === 1)
    found.push(extendCheckpoint({ sequence: 0, tables: new Map() }, lines));
  const [best, ...others] = found;
  if (best !== undefined) return others.reduce((one, other) => (other.sequence > one.sequence ? other : one), best);
  throw createDamagedError(
    layout.checkpoint,
    0,
    'no checkpoint can be read, and the journal does not reach back to the beginning',
  );
}

async function readSoundCheckpoint(disk: Disk, layout: Layout, file: string): Promise<Checkpoint | undefined> {
  try {
    return (await readCheckpoint(disk, layout, file))[0];
  } catch (error) {
    if (error instanceof StoreOpenError && error.kind === 'damaged') return undefined;
    throw error;
  }
}

/** The checkpoint with every commit up to the first one that is missing or can't be understood. */
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

/** Tried upon nothing first: half a commit must not be kept. */
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
  for (const file of files) lines.push(...parseLines((await disk.read(file)) ?? Buffer.alloc(0)));
  return lines;
}

function compareSegments(one: string, other: string): number {
  return Number(closedSegmentFirst(one)) - Number(closedSegmentFirst(other));
}

function parseLines(bytes: Buffer): (WalEntry | undefined)[] {
  const found: (WalEntry | undefined)[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.subarray(start, end);
    if (start > 0 || decodeHeader(line) === undefined) found.push(newline < 0 ? undefined : decodeEntry(line));
    start = end + 1;
  }
  return found;
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
