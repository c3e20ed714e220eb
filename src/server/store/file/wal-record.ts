/**
 * The records of the write-ahead log. Each line is one JSON object whose last member is the CRC of all bytes before it, so
 * that a partial line is detected:
 *
 *   segment header: {"formatVersion":2,"first":7,"epoch":2,"chain":{...},"crc32":"..."}
 *   one commit: {"sequence":8,"last":9,"epoch":2,"previousHash":"...","bytes":42,"changes":[...],"first":7,"crc32":"..."}
 *
 * Commits `first` to `last` are one batch: none of them was acknowledged before all were durable. `bytes` is the length
 * of the changes. `previousHash` is the hash of the commit before: see chain.ts. The other fields distinguish a torn tail from damage to durable commits; they are at both ends of a line, so
 * that either half of a damaged line is usable.
 */
import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import type { Overlay } from '../memory/overlay.ts';
import { findShape } from '../table-shape.ts';
import { type Chain, hashCommit, toHash } from './chain.ts';
import { appendCrc, formatCrcEnd, parseChecked } from './checksum.ts';
import { FORMAT_VERSION } from './layout.ts';

const WalHeader = z.object({
  formatVersion: z.literal(FORMAT_VERSION),
  first: z.number(),
  epoch: z.number(),
  /** As of the last commit before the segment. */
  chain: z.object({ storeId: z.string(), lastHash: z.string() }),
});
/** What the headers of all versions have. */
const AnyHeader = z.object({ formatVersion: z.number() });
const WalChange = z.union([
  z.tuple([z.literal('put'), z.string(), z.record(z.string(), z.unknown())]),
  z.tuple([z.literal('delete'), z.string(), z.string()]),
]);
const WalEntry = z.object({
  sequence: z.number(),
  epoch: z.number(),
  previousHash: z.string(),
  changes: z.array(z.unknown()),
  first: z.number(),
});

export type WalHeader = z.infer<typeof WalHeader>;
export type WalEntry = z.infer<typeof WalEntry> & {
  readonly hash: string;
};

/** Where a segment or batch begins. */
export interface WalPosition {
  /** The sequence of its first commit. */
  readonly first: number;
  readonly epoch: number;
  /** As of the commit before. */
  readonly chain: Chain;
}

/** The maximum length of a line after its changes, if its batch starts with `first` or before. */
export function entryEndLength(first: number): number {
  return `,"first":${first},"crc32":"00000000"}\n`.length;
}

const ENTRY_START = /^\{"sequence":(\d+),"last":(\d+),"epoch":\d+,"previousHash":"\w+","bytes":(\d+),"changes":/;
const ENTRY_END = /,"first":(\d+),"crc32":"[0-9a-f]{8}"\}\n$/;

export function encodeHeader({ first, epoch, chain }: WalPosition): Buffer {
  const header: WalHeader = { formatVersion: FORMAT_VERSION, first, epoch, chain };
  return Buffer.from(appendCrc(JSON.stringify(header).slice(0, -1)));
}

/** The changes of a long commit, encoded before their batch. */
export interface PreparedCommit {
  readonly slices: readonly Buffer[];
  /** Changes that follow them. */
  readonly late: Overlay;
}

export type PreparedCommits = Pick<WeakMap<Overlay, PreparedCommit>, 'get'>;

export interface EncodedBatch {
  /** One, unless the batch is long. */
  readonly pieces: readonly Buffer[];
  /** The hash of its last commit. */
  readonly lastHash: string;
}

/** Characters per slice: half a millisecond of work. */
const SLICE_LENGTH = 64 * 1024;

/** Bytes whose CRC and hash are computed in one turn, and that are written at once: a millisecond of work. */
const PIECE_LENGTH = 256 * 1024;

/** Encodes the lines of one batch in slices; the caller yields to the event loop after each. */
export function* encodeBatch(
  { first, epoch, chain }: WalPosition,
  commits: readonly Overlay[],
  prepared?: PreparedCommits,
): Generator<void, EncodedBatch> {
  const last = first + commits.length - 1;
  let { lastHash } = chain;
  const pieces: Buffer[] = [];
  let lines = '';
  for (const [offset, commit] of commits.entries()) {
    const slices = yield* encodeCommit(commit, prepared?.get(commit));
    const start = `{"sequence":${first + offset},"last":${last},"epoch":${epoch},"previousHash":"${lastHash}"`;
    const [changes = ''] = slices;
    if (slices.length === 1 && typeof changes === 'string') {
      const line = appendCrc(`${start},"bytes":${Buffer.byteLength(changes)},"changes":${changes},"first":${first}`);
      lastHash = hashCommit(line.slice(0, -1));
      lines += line;
      if (lines.length < SLICE_LENGTH) continue;
      pieces.push(Buffer.from(lines));
      yield;
    } else {
      const line = yield* encodeLongLine(start, slices, `,"first":${first}`);
      lastHash = line.lastHash;
      pieces.push(Buffer.from(lines), ...line.pieces);
    }
    lines = '';
  }
  if (lines !== '') pieces.push(Buffer.from(lines));
  return { pieces, lastHash };
}

/** Encodes the changes of a long commit before its place in the log is known. */
export function* prepareCommit(commit: Overlay, late: Overlay): Generator<void, PreparedCommit> {
  const slices: Buffer[] = [];
  let parts: Buffer[] = [];
  let length = 0;
  for (const text of yield* encodeChanges(commit)) {
    const part = Buffer.from(text);
    parts.push(part);
    length += part.length;
    if (length < PIECE_LENGTH) continue;
    slices.push(Buffer.concat(parts));
    [parts, length] = [[], 0];
    yield;
  }
  return { slices: [...slices, ...parts], late };
}

/** Encodes the changes of a commit. The slices are the parts of one text. */
function* encodeCommit(commit: Overlay, prepared?: PreparedCommit): Generator<void, (string | Buffer)[]> {
  if (prepared === undefined) {
    const slices = yield* encodeChanges(commit);
    return [...slices.slice(0, -1), `${slices.at(-1)}]`];
  }
  const late = prepared.late.empty ? [] : yield* encodeChanges(prepared.late, ',');
  return [...prepared.slices, ...late, ']'];
}

/** Encodes changes without the end of their list. */
function* encodeChanges(commit: Overlay, start = '['): Generator<void, string[]> {
  const slices: string[] = [];
  let slice = start;
  let separator = '';
  for (const change of listChanges(commit)) {
    if (slice.length >= SLICE_LENGTH) {
      slices.push(slice);
      slice = '';
      yield;
    }
    slice += `${separator}${JSON.stringify(change)}`;
    separator = ',';
  }
  slices.push(slice);
  return slices;
}

function* listChanges(commit: Overlay): Generator<readonly unknown[]> {
  for (const { shape, rows, removed } of commit.parts()) {
    for (const key of removed) yield ['delete', shape.name, key];
    for (const row of rows.values()) yield ['put', shape.name, row];
  }
}

/** Encodes the line of a long commit, as one of a short commit, but CRC and hash are computed piece by piece. */
function* encodeLongLine(
  start: string,
  changes: readonly (string | Buffer)[],
  end: string,
): Generator<void, EncodedBatch> {
  const slices: Buffer[] = [];
  let bytes = 0;
  for (const text of changes) {
    const slice = typeof text === 'string' ? Buffer.from(text) : text;
    slices.push(slice);
    bytes += slice.length;
    if (typeof text === 'string') yield;
  }
  const pieces = [Buffer.from(`${start},"bytes":${bytes},"changes":`), ...slices, Buffer.from(end)];
  const hash = createHash('sha256');
  let crc = 0;
  for (const piece of pieces) {
    crc = crc32(piece, crc);
    hash.update(piece);
    yield;
  }
  const crcEnd = formatCrcEnd(crc);
  // No start could read a longer line.
  if (bytes + start.length + 256 > constants.MAX_STRING_LENGTH) throw new RangeError('The commit is too long.');
  pieces.push(Buffer.from(`${crcEnd}\n`));
  return { pieces, lastHash: toHash(hash.update(crcEnd).digest('hex')) };
}

/** Decodes the format version of a segment, which the header of any version has; undefined if the line is damaged. */
export function decodeFormatVersion(line: Buffer): number | undefined {
  return AnyHeader.safeParse(parseChecked(line)).data?.formatVersion;
}

/** Decodes a segment header; undefined if the line is not a valid one. */
export function decodeHeader(line: Buffer): WalHeader | undefined {
  return WalHeader.safeParse(parseChecked(line)).data;
}

/** Decodes a commit; undefined if the line is not a valid one. */
export function decodeEntry(line: Buffer): WalEntry | undefined {
  const entry = WalEntry.safeParse(parseChecked(line)).data;
  if (entry === undefined) return undefined;
  return { ...entry, hash: hashCommit(line) };
}

/** Parses the start of a damaged line: whether its commit was the last of its batch, and where the changes ended. */
export function parseEntryStart(bytes: Buffer): { lastOfBatch: boolean; changesEnd: number } | undefined {
  const match = ENTRY_START.exec(bytes.toString('latin1', 0, 200));
  if (match === null) return undefined;
  const [start, sequence, last, length] = match;
  return { lastOfBatch: sequence === last, changesEnd: start.length + Number(length) };
}

/** Parses the end of a damaged line: the sequence of the first commit of its batch. */
export function parseEntryEnd(bytes: Buffer): number | undefined {
  const first = ENTRY_END.exec(bytes.toString('latin1', Math.max(0, bytes.length - 100)))?.[1];
  return first === undefined ? undefined : Number(first);
}

/** Applies a commit to the base overlay. Idempotent. @throws Error if a change is not valid. */
export function replay(entry: WalEntry, base: Overlay): void {
  for (const change of entry.changes) {
    const [kind, name, value] = WalChange.parse(change);
    const shape = findShape(name);
    if (shape === undefined) throw new Error(`unknown table ${name}`);
    const table = base.table(shape.name);
    if (kind === 'delete') {
      table.remove(value);
      continue;
    }
    const row = shape.schema.parse(value);
    table.put(shape.key(row), row);
  }
}
