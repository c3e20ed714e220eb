/** Reading one segment of the journal, and judging what is wrong with it. */

import { FORMAT_VERSION } from './layout.ts';
import { createDamagedError, createNewerFormatError } from './open-error.ts';
import {
  decodeEntry,
  decodeHeader,
  entryEndLength,
  parseEntryEnd,
  parseEntryStart,
  type WalEntry,
  type WalHeader,
} from './wal-record.ts';

const NEWLINE = 0x0a;

export interface WalSegment {
  readonly file: string;
  readonly head: WalHeader;
  /** The sequence of its last commit; that before its first one where it has none. */
  readonly last: number;
  readonly lastEpoch: number;
  /** Where its last good line ends. */
  readonly end: number;
  /** Whether there is something after that end which was torn in writing. */
  readonly torn: boolean;
}

/**
 * Hands every commit of a segment to `take`, in order.
 * @param newest whether the segment is the one that was written to last: only that one may have a torn tail.
 * @throws StoreOpenError for everything that is not as it was written.
 */
export function readSegment(
  file: string,
  bytes: Buffer,
  newest: boolean,
  onEntry: (entry: WalEntry, offset: number) => void,
): WalSegment {
  const head = readHeader(file, bytes);
  let end = bytes.indexOf(NEWLINE) + 1;
  let last = head.first - 1;
  let lastEpoch = head.epoch;
  while (end < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, end);
    const entry = newline < 0 ? undefined : decodeEntry(bytes.subarray(end, newline));
    if (entry === undefined) {
      assertTorn(file, bytes, end, last + 1, newest);
      return { file, head, last, lastEpoch, end, torn: true };
    }
    assertFollows(file, end, entry, last, lastEpoch);
    onEntry(entry, end);
    last = entry.sequence;
    lastEpoch = entry.epoch;
    end = newline + 1;
  }
  return { file, head, last, lastEpoch, end, torn: false };
}

/** What the head of a segment says. @throws StoreOpenError where it has none. */
export function readHeader(file: string, bytes: Buffer): WalHeader {
  if (bytes.length === 0) throw createDamagedError(file, 0, 'the file is empty');
  const newline = bytes.indexOf(NEWLINE);
  const head = newline < 0 ? undefined : decodeHeader(bytes.subarray(0, newline));
  if (head === undefined) throw createDamagedError(file, 0, 'this is not the head of a journal');
  if (head.formatVersion > FORMAT_VERSION)
    throw createNewerFormatError(file, `the journal has format ${head.formatVersion}`);
  return head;
}

function assertFollows(file: string, offset: number, entry: WalEntry, last: number, lastEpoch: number): void {
  if (entry.sequence !== last + 1) {
    throw createDamagedError(file, offset, `commit ${last + 1} should stand here, and ${entry.sequence} does`);
  }
  if (entry.epoch < lastEpoch)
    throw createDamagedError(file, offset, `commit ${entry.sequence} is from an earlier start`);
}

/**
 * Passes where the bytes from `offset` on can only come from a write that was never finished. A batch is written
 * after the one before it is durable, so commits of a later batch prove that what stands before them was durable once.
 */
function assertTorn(file: string, bytes: Buffer, offset: number, expected: number, newest: boolean): void {
  const what = `commit ${expected} is damaged`;
  if (!newest) throw createDamagedError(file, offset, what);
  const tail = bytes.subarray(offset);
  const { commits, hasHole } = scanTail(tail);
  if (commits.some((entry) => entry.first > expected)) throw createDamagedError(file, offset, what);
  // Within one batch, a power loss leaves holes of zeros; flipped bits come from elsewhere.
  if (commits.length > 0 && !hasHole) throw createDamagedError(file, offset, what);
  if (isFollowedByBatch(tail, expected)) throw createDamagedError(file, offset, what);
}

/** Whether the damaged lines themselves tell that another batch came after the commit that should begin here. */
function isFollowedByBatch(tail: Buffer, expected: number): boolean {
  const first = parseEntryEnd(tail);
  if (first !== undefined && first > expected) return true;
  const start = parseEntryStart(tail);
  return start?.lastOfBatch === true && tail.length > start.changesEnd + entryEndLength(expected);
}

/** The good commits after the damage, and whether anything in the damaged lines was never written. */
function scanTail(tail: Buffer): { commits: WalEntry[]; hasHole: boolean } {
  const commits: WalEntry[] = [];
  let hasHole = false;
  for (let start = 0; start < tail.length; ) {
    const newline = tail.indexOf(NEWLINE, start);
    const line = tail.subarray(start, newline < 0 ? tail.length : newline);
    const entry = newline < 0 ? undefined : decodeEntry(line);
    if (entry !== undefined) commits.push(entry);
    else hasHole ||= line.includes(0);
    start += line.length + 1;
  }
  return { commits, hasHole };
}
