/** Reads one segment of the write-ahead log, and distinguishes a torn tail from damage. */

import { createDamagedError } from '../open-error.ts';
import { type Chain, createForeignError } from './chain.ts';
import type { ReadableFile } from './disk.ts';
import { assertFormatVersion } from './layout.ts';
import { LineReader, readRange } from './line-reader.ts';
import {
  decodeEntry,
  decodeFormatVersion,
  decodeHeader,
  entryEndLength,
  parseEntryEnd,
  parseEntryStart,
  type WalEntry,
  type WalHeader,
} from './wal-record.ts';

export interface WalSegment {
  readonly file: string;
  readonly head: WalHeader;
  /** The sequence of its last commit; `head.first - 1` for an empty segment. */
  readonly last: number;
  readonly lastEpoch: number;
  /** As of its last commit. */
  readonly chain: Chain;
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
  contents: ReadableFile,
  newest: boolean,
  onEntry: (entry: WalEntry, offset: number) => void,
): WalSegment {
  const lines = new LineReader(contents);
  const head = parseHeader(file, contents, lines);
  let last = head.first - 1;
  let lastEpoch = head.epoch;
  let { chain } = head;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const { start } = lines;
    const entry = lines.complete ? decodeEntry(line) : undefined;
    if (entry === undefined) {
      assertTorn({ file, contents, offset: start }, last + 1, newest);
      return { file, head, last, lastEpoch, chain, end: start, torn: true };
    }
    assertFollows(entry, { file, offset: start, last, lastEpoch, chain });
    onEntry(entry, start);
    last = entry.sequence;
    lastEpoch = entry.epoch;
    chain = { ...chain, lastHash: entry.hash };
  }
  return { file, head, last, lastEpoch, chain, end: lines.end, torn: false };
}

/** Reads the header of a segment. @throws StoreOpenError if it is missing or damaged. */
export function readHeader(file: string, contents: ReadableFile): WalHeader {
  return parseHeader(file, contents, new LineReader(contents));
}

function parseHeader(file: string, contents: ReadableFile, lines: LineReader): WalHeader {
  if (contents.size === 0) throw createDamagedError(file, 0, 'the file is empty');
  const line = lines.next();
  if (line === undefined || !lines.complete) throw createDamagedError(file, 0, 'not a valid log header');
  const version = decodeFormatVersion(line);
  if (version !== undefined) assertFormatVersion(file, 'the write-ahead log', version);
  const head = decodeHeader(line);
  if (head === undefined) throw createDamagedError(file, 0, 'not a valid log header');
  return head;
}

interface SegmentPosition extends Pick<WalSegment, 'file' | 'last' | 'lastEpoch' | 'chain'> {
  readonly offset: number;
}

function assertFollows(entry: WalEntry, { file, offset, last, lastEpoch, chain }: SegmentPosition): void {
  if (entry.sequence !== last + 1) {
    throw createDamagedError(file, offset, `expected commit ${last + 1}, found commit ${entry.sequence}`);
  }
  if (entry.previousHash !== chain.lastHash)
    throw createForeignError(
      file,
      `commit ${entry.sequence} (byte ${offset}) does not continue the one before it`,
      offset,
    );
  if (entry.epoch < lastEpoch)
    throw createDamagedError(file, offset, `commit ${entry.sequence} is from an earlier start`);
}

/**
 * Asserts that the bytes from `offset` on are an unfinished write. A batch is written only once the previous one is
 * durable, so commits of a later batch prove that the bytes before them were durable.
 */
function assertTorn(tail: Tail, expected: number, newest: boolean): void {
  const { file, offset } = tail;
  const what = `commit ${expected} is damaged`;
  if (!newest) throw createDamagedError(file, offset, what);
  const { commits, isLater, hasHole } = scanTail(tail, expected);
  if (isLater) throw createDamagedError(file, offset, what);
  // Within one batch, a power loss leaves holes of zeros; flipped bits have another cause.
  if (commits > 0 && !hasHole) throw createDamagedError(file, offset, what);
  if (isFollowedByBatch(tail, expected)) throw createDamagedError(file, offset, what);
}

/** The bytes of a file from the first damaged line on. */
interface Tail {
  readonly file: string;
  readonly contents: ReadableFile;
  readonly offset: number;
}

/** More than the fields at either end of a line need. */
const ENTRY_FIELDS_LENGTH = 256;

/** Whether the damaged lines prove that another batch followed the expected commit. */
function isFollowedByBatch({ contents, offset }: Tail, expected: number): boolean {
  const { size } = contents;
  const first = parseEntryEnd(readRange(contents, Math.max(offset, size - ENTRY_FIELDS_LENGTH), size));
  if (first !== undefined && first > expected) return true;
  const start = parseEntryStart(readRange(contents, offset, Math.min(size, offset + ENTRY_FIELDS_LENGTH)));
  return start?.lastOfBatch === true && size - offset > start.changesEnd + entryEndLength(expected);
}

/**
 * Counts the valid commits after the damage. Also returns whether one is of a batch after that of the expected commit, and
 * whether a damaged line contains unwritten bytes (zeros).
 */
function scanTail(
  { contents, offset }: Tail,
  expected: number,
): { commits: number; isLater: boolean; hasHole: boolean } {
  const lines = new LineReader(contents, offset);
  let commits = 0;
  let isLater = false;
  let hasHole = false;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const entry = lines.complete ? decodeEntry(line) : undefined;
    if (entry === undefined) {
      hasHole ||= line.includes(0);
      continue;
    }
    commits += 1;
    isLater ||= entry.first > expected;
  }
  return { commits, isLater, hasHole };
}
