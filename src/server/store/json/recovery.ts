/** Finding the state of a store in its files, and finishing what a crash broke off. */
import { Layer } from '../layer.ts';
import { readCheckpoint } from './checkpoint-adapter.ts';
import type { Checkpoint } from './checkpoint-format.ts';
import { type Disk, writeFile } from './disk.ts';
import type { LogStoreEvent } from './events.ts';
import { closedSegmentFirst, isTemporary, type Layout } from './layout.ts';
import { damaged, StoreOpenError } from './open-error.ts';
import { replay } from './record.ts';
import { readHead, readSegment, type Segment } from './segment.ts';

export interface Recovered {
  readonly bottom: Layer;
  /** The sequence of the last commit. */
  readonly sequence: number;
  /** The latest start that wrote anything. */
  readonly epoch: number;
  readonly checkpoint: { readonly sequence: number; readonly size: number };
  /** The segments that are no longer written to, oldest first. */
  readonly closed: readonly ClosedSegment[];
  /** The segment that is written to: its first commit, and where its good part ends. */
  readonly journal: { readonly first: number; readonly end: number };
}

export interface ClosedSegment {
  readonly file: string;
  readonly first: number;
}

/** The journal's files as they were found. */
interface Found {
  readonly disk: Disk;
  /** Oldest first. */
  readonly closed: readonly ClosedSegment[];
  /** `journal.next.jsonl` where a rotation was broken off after it took the old one away. */
  readonly newest: string;
  readonly newestBytes: Buffer;
}

/** @throws StoreOpenError where anything but an unfinished write is wrong; nothing has been changed then. */
export async function recover(disk: Disk, layout: Layout, log: LogStoreEvent): Promise<Recovered> {
  const found = await findJournal(disk, layout);
  const { recovered, newest, unreadable } = await load(disk, layout, found);
  await finishRotation(disk, layout, found.newest);
  if (newest.torn) await cutTail(disk, layout, newest, found.newestBytes, log);
  if (unreadable !== undefined) await setAside(disk, layout, recovered.sequence, unreadable, log);
  await removeTemporaries(disk, layout);
  return recovered;
}

/** What `recover` would find, for looking only. @throws StoreOpenError. */
export async function look(disk: Disk, layout: Layout): Promise<Loaded> {
  return load(disk, layout, await findJournal(disk, layout));
}

async function findJournal(disk: Disk, layout: Layout): Promise<Found> {
  const names = (await disk.list(layout.folder)) ?? [];
  const closed: ClosedSegment[] = [];
  for (const name of names) {
    const first = closedSegmentFirst(name);
    if (first !== undefined) closed.push({ file: layout.path(name), first });
  }
  closed.sort((one, other) => one.first - other.first);
  const has = (file: string) => names.some((name) => layout.path(name) === file);
  const newest = !has(layout.journal) && has(layout.nextJournal) ? layout.nextJournal : layout.journal;
  return { disk, closed, newest, newestBytes: await readExisting(disk, newest) };
}

async function readExisting(disk: Disk, file: string): Promise<Buffer> {
  const bytes = await disk.read(file);
  if (bytes === undefined) throw damaged(file, 0, 'the file is missing');
  return bytes;
}

export interface Loaded {
  readonly recovered: Recovered;
  readonly newest: Segment;
  /** Why the current checkpoint was not used. */
  readonly unreadable?: StoreOpenError;
}

/** The checkpoint before the current one will do where the journal still holds everything since. */
async function load(disk: Disk, layout: Layout, found: Found): Promise<Loaded> {
  let unreadable: StoreOpenError;
  try {
    return await build(await readCheckpoint(disk, layout, layout.checkpoint), found);
  } catch (error) {
    const isCheckpoint = error instanceof StoreOpenError && error.file === layout.checkpoint;
    if (!isCheckpoint || error.kind !== 'damaged') throw error;
    unreadable = error;
  }
  try {
    return { ...(await build(await readCheckpoint(disk, layout, layout.previous), found)), unreadable };
  } catch (error) {
    throw error instanceof StoreOpenError && error.kind === 'damaged' ? unreadable : error;
  }
}

async function build([checkpoint, size]: [Checkpoint, size: number], found: Found): Promise<Loaded> {
  const bottom = new Layer('bottom');
  for (const [name, rows] of checkpoint.tables) bottom.load(name, rows);
  const newest = await replayJournal(found, checkpoint, bottom);
  return {
    newest,
    recovered: {
      bottom,
      sequence: newest.last,
      epoch: Math.max(checkpoint.epoch, newest.lastEpoch),
      checkpoint: { sequence: checkpoint.sequence, size },
      closed: found.closed,
      journal: { first: newest.head.first, end: newest.end },
    },
  };
}

/** Replays what the checkpoint does not hold. The segments must follow one another, and reach it at both ends. */
async function replayJournal(found: Found, checkpoint: Checkpoint, bottom: Layer): Promise<Segment> {
  const { disk, newest, newestBytes } = found;
  let before: Segment | undefined;
  for (const file of neededSegments(found, checkpoint.sequence)) {
    const bytes = file === newest ? newestBytes : await readExisting(disk, file);
    const segment = replaySegment(file, bytes, file === newest, checkpoint, bottom);
    assertJoined(segment, before, checkpoint);
    before = segment;
  }
  const last = before as Segment;
  if (last.last < checkpoint.sequence) {
    throw damaged(last.file, last.end, `the journal ends with commit ${last.last}, before the checkpoint does`);
  }
  return last;
}

/** Segments that end before the checkpoint are not needed: a crash may have left some of them, and not others. */
function neededSegments({ closed, newest, newestBytes }: Found, sequence: number): string[] {
  const all = [...closed, { file: newest, first: readHead(newest, newestBytes).first }];
  const from = all.findLastIndex((segment) => segment.first <= sequence + 1);
  return all.slice(Math.max(0, from)).map((segment) => segment.file);
}

function replaySegment(file: string, bytes: Buffer, newest: boolean, checkpoint: Checkpoint, bottom: Layer): Segment {
  return readSegment(file, bytes, newest, (entry, offset) => {
    if (entry.sequence <= checkpoint.sequence) return;
    try {
      replay(entry, bottom);
    } catch (error) {
      throw damaged(file, offset, `commit ${entry.sequence} can't be understood: ${oneLine(error)}`);
    }
  });
}

function assertJoined(segment: Segment, before: Segment | undefined, checkpoint: Checkpoint): void {
  const { file, head } = segment;
  if (before === undefined) {
    if (head.first <= checkpoint.sequence + 1) return;
    throw damaged(file, 0, `the commits from ${checkpoint.sequence + 1} to ${head.first - 1} are missing before it`);
  }
  if (head.first !== before.last + 1) {
    throw damaged(file, 0, `it begins with commit ${head.first}, and ${before.file} ends with ${before.last}`);
  }
  if (head.epoch < before.lastEpoch) throw damaged(file, 0, 'it is from an earlier start than the one before it');
}

function oneLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).replaceAll(/\s+/g, ' ');
}

async function finishRotation(disk: Disk, layout: Layout, newest: string): Promise<void> {
  if (newest === layout.journal) return;
  await disk.rename(newest, layout.journal);
  await disk.syncFolder(layout.folder);
}

async function cutTail(
  disk: Disk,
  layout: Layout,
  { last, end }: Segment,
  bytes: Buffer,
  log: LogStoreEvent,
): Promise<void> {
  const kept = layout.path(`journal.${last + 1}.broken`);
  await writeFile(disk, kept, bytes.subarray(end));
  await disk.syncFolder(layout.folder);
  const journal = await disk.open(layout.journal, 'modify');
  try {
    await journal.truncate(end);
    await journal.sync();
  } finally {
    await journal.close();
  }
  log({ event: 'torn-tail', file: layout.journal, offset: end, kept });
}

async function setAside(
  disk: Disk,
  layout: Layout,
  sequence: number,
  error: StoreOpenError,
  log: LogStoreEvent,
): Promise<void> {
  if ((await disk.read(layout.checkpoint)) !== undefined) {
    await disk.rename(layout.checkpoint, layout.path(`iam.${sequence}.broken`));
    await disk.syncFolder(layout.folder);
  }
  log({ event: 'older-checkpoint-used', file: layout.previous, error });
}

async function removeTemporaries(disk: Disk, layout: Layout): Promise<void> {
  for (const name of (await disk.list(layout.folder)) ?? []) {
    const path = layout.path(name);
    if (path === layout.nextJournal || isTemporary(name)) await disk.remove(path);
  }
}
