/** Reads one segment of the write-ahead log, and distinguishes a torn tail from damage. */

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
  /** The sequence of its last commit; `head.first - 1` for an empty segment. */
  readonly last: number;
  readonly lastEpoch: number;
  /** The end of its last valid line. */
  readonly end: number;
  /** Whether a torn tail follows `end`. */
  readonly torn: boolean;
}

/**
 * Reads a segment and calls `onEntry` for each commit, in order.
 * @param newest whether this is the active segment: only that one may have a torn tail.
 * @throws StoreOpenError for damage.
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

/** Reads the header of a segment. @throws StoreOpenError if it is missing or damaged. */
export function readHeader(file: string, bytes: Buffer): WalHeader {
  if (bytes.length === 0) throw createDamagedError(file, 0, 'the file is empty');
  const newline = bytes.indexOf(NEWLINE);
  const head = newline < 0 ? undefined : decodeHeader(bytes.subarray(0, newline));
  if (head === undefined) throw createDamagedError(file, 0, 'not a valid log header');
  if (head.formatVersion > FORMAT_VERSION)
    throw createNewerFormatError(file, `the write-ahead log has format ${head.formatVersion}`);
  return head;
}

function assertFollows(file: string, offset: number, entry: WalEntry, last: number, lastEpoch: number): void {
  if (entry.sequence !== last + 1) {
    throw createDamagedError(file, offset, `expected commit ${last + 1}, found commit ${entry.sequence}`);
  }
  if (entry.epoch < lastEpoch)
    throw createDamagedError(file, offset, `commit ${entry.sequence} is from an earlier start`);
}

/**
 * Asserts that the bytes from `offset` on are an unfinished write. A batch is written only once the previous one is
 * durable, so commits of a later batch prove that the bytes before them were durable.
 */
function assertTorn(file: string, bytes: Buffer, offset: number, expected: number, newest: boolean): void {
  const what = `commit ${expected} is damaged`;
  if (!newest) throw createDamagedError(file, offset, what);
  const tail = bytes.subarray(offset);
  const { commits, hasHole } = scanTail(tail);
  if (commits.some((entry) => entry.first > expected)) throw createDamagedError(file, offset, what);
  // Within one batch, a power loss leaves holes of zeros; flipped bits have another cause.
  if (commits.length > 0 && !hasHole) throw createDamagedError(file, offset, what);
  if (isFollowedByBatch(tail, expected)) throw createDamagedError(file, offset, what);
}

/** Whether the damaged lines prove that another batch followed the expected commit. */
function isFollowedByBatch(tail: Buffer, expected: number): boolean {
  const first = parseEntryEnd(tail);
  if (first !== undefined && first > expected) return true;
  const start = parseEntryStart(tail);
  return start?.lastOfBatch === true && tail.length > start.changesEnd + entryEndLength(expected);
}

/** The valid commits after the damage, and whether a damaged line contains unwritten bytes (zeros). */
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
