/**
 * The checkpoint format: one JSON object with one row per line, which is readable, diffable and streamable. Its last
 * member is the CRC of all bytes before it.
 */
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { toSlices } from '../../lib/text-slices.ts';
import { findLargeNumber } from '../large-numbers.ts';
import type { Overlay, TableOverlay } from '../memory/overlay.ts';
import { createDamagedError, createNewerFormatError, type StoreOpenError } from '../open-error.ts';
import { findShape, type StoredRow, tableNames } from '../table-shape.ts';
import type { Chain } from './chain.ts';
import { formatCrc } from './checksum.ts';
import type { ReadableFile } from './disk.ts';
import { assertFormatVersion, FORMAT_VERSION } from './layout.ts';
import { crcUntil, LineReader, readRange } from './line-reader.ts';

export interface Checkpoint {
  /** The sequence of the last commit it contains. */
  readonly sequence: number;
  readonly epoch: number;
  readonly writtenAt: string;
  /** Undefined in backups, which belong to no store until they are restored. */
  readonly chain?: Chain | undefined;
  readonly tables: ReadonlyMap<string, Iterable<StoredRow>>;
}

const ChainSchema = z.object({ storeId: z.string(), lastHash: z.string() });
const count = z.int().min(0);
const Preamble = z.object({ sequence: count, epoch: count, writtenAt: z.string() });

const CRC_SUFFIX = /^"crc32":"([0-9a-f]{8})"\n\}\n$/;
const CRC_SUFFIX_LENGTH = '"crc32":"00000000"\n}\n'.length;
const PREFIX = /^\{\n"formatVersion":(\d+),\n/;

/** Encodes a checkpoint with its CRC suffix, in slices. */
export function* checkpointSlices(checkpoint: Checkpoint): Generator<Buffer> {
  let crc = 0;
  for (const bytes of toSlices(encodeCheckpoint(checkpoint))) {
    crc = crc32(bytes, crc);
    yield bytes;
  }
  yield Buffer.from(encodeCrcSuffix(crc));
}

/** Encodes the text before the CRC suffix, in small pieces. */
function* encodeCheckpoint({ sequence, epoch, writtenAt, chain, tables }: Checkpoint): Generator<string> {
  yield `{\n"formatVersion":${FORMAT_VERSION},\n`;
  yield `"sequence":${sequence},\n"epoch":${epoch},\n"writtenAt":${JSON.stringify(writtenAt)},\n`;
  if (chain !== undefined) yield `"chain":${JSON.stringify(chain)},\n`;
  yield '"tables":{\n';
  let remaining = tables.size;
  for (const [name, rows] of tables) {
    yield `${JSON.stringify(name)}:[\n`;
    yield* encodeRows(rows);
    remaining -= 1;
    yield remaining > 0 ? '],\n' : ']\n';
  }
  yield '},\n';
}

function* encodeRows(rows: Iterable<StoredRow>): Generator<string> {
  let previous: StoredRow | undefined;
  for (const row of rows) {
    if (previous !== undefined) yield `${JSON.stringify(previous)},\n`;
    previous = row;
  }
  if (previous !== undefined) yield `${JSON.stringify(previous)}\n`;
}

/** Iterates over the rows of an overlay lazily, ordered by primary key. */
export function listRows(frozen: Overlay): ReadonlyMap<string, Iterable<StoredRow>> {
  return new Map(tableNames.map((name) => [name, rowsInOrder(frozen.peek(name))]));
}

function* rowsInOrder(part: TableOverlay | undefined): Generator<StoredRow> {
  for (const key of part?.keys ?? []) yield part?.rows.get(key) as StoredRow;
}

/** Counts the rows of each table. */
export function countTableRows(tables: Checkpoint['tables']): Record<string, number> {
  return Object.fromEntries([...tables].map(([name, rows]) => [name, [...rows].length]));
}

/** Encodes the end of the text from the CRC of the preceding bytes. */
function encodeCrcSuffix(crc: number): string {
  return `"crc32":"${formatCrc(crc)}"\n}\n`;
}

/**
 * Decodes a checkpoint. Reads the file twice: first its CRC, so that no row of a damaged file is trusted, then its rows.
 * @throws StoreOpenError 'damaged', or that of another format.
 */
export function decodeCheckpoint(file: string, contents: ReadableFile): Checkpoint {
  if (contents.size === 0) throw createDamagedError(file, 0, 'the file is empty');
  const version = PREFIX.exec(readRange(contents, 0, Math.min(64, contents.size)).toString('latin1'))?.[1];
  if (version === undefined) throw createDamagedError(file, 0, 'this is not a checkpoint');
  // Before the version: a flipped bit must not make a damaged file look like one of a newer program.
  if (!hasValidCrc(contents)) throw findFirstDamage(file, contents);
  assertFormatVersion(file, 'the checkpoint', Number(version));
  return parseLines(new CheckpointLines(file, contents));
}

function hasValidCrc(contents: ReadableFile): boolean {
  const end = contents.size - CRC_SUFFIX_LENGTH;
  if (end <= 0) return false;
  const suffix = readRange(contents, end, contents.size).toString('latin1');
  return CRC_SUFFIX.exec(suffix)?.[1] === formatCrc(crcUntil(contents, end));
}

/** Locates the first unreadable line; if all lines are readable, reports the CRC mismatch. */
function findFirstDamage(file: string, contents: ReadableFile): StoreOpenError {
  const lines = new CheckpointLines(file, contents);
  try {
    parseLines(lines);
  } catch {
    return lines.createError('this line is damaged');
  }
  return createDamagedError(
    file,
    Math.max(0, contents.size - CRC_SUFFIX_LENGTH),
    'the checksum does not match the contents',
  );
}

class CheckpointLines {
  readonly #file: string;
  readonly #reader: LineReader;

  constructor(file: string, contents: ReadableFile) {
    this.#file = file;
    this.#reader = new LineReader(contents);
  }

  next(): string {
    const line = this.#reader.next();
    if (line === undefined || !this.#reader.complete) throw this.createError('the file ends too early');
    return line.toString('utf8');
  }

  /** Parses the JSON value of a line: the text after `prefix`, without the trailing comma. */
  parse(line: string, prefix = ''): unknown {
    if (!line.startsWith(prefix)) throw this.createError('unexpected line');
    try {
      return JSON.parse(line.slice(prefix.length, line.endsWith(',') ? -1 : undefined));
    } catch {
      throw this.createError('this line is not JSON');
    }
  }

  /** Creates an error with the offset of the last line read. */
  createError(what: string): StoreOpenError {
    return createDamagedError(this.#file, this.#reader.start, what);
  }

  createNewerFormatError(what: string): StoreOpenError {
    return createNewerFormatError(this.#file, what);
  }
}

function parseLines(lines: CheckpointLines): Checkpoint {
  lines.next();
  lines.next();
  const preamble = Preamble.safeParse({
    sequence: lines.parse(lines.next(), '"sequence":'),
    epoch: lines.parse(lines.next(), '"epoch":'),
    writtenAt: lines.parse(lines.next(), '"writtenAt":'),
  });
  if (!preamble.success) throw lines.createError('the header of the checkpoint is not valid');
  let line = lines.next();
  let chain: Chain | undefined;
  if (line.startsWith('"chain":')) {
    chain = parseChain(lines, line);
    line = lines.next();
  }
  if (line !== '"tables":{') throw lines.createError('the tables are missing');
  const tables = new Map<string, StoredRow[]>();
  for (line = lines.next(); line !== '},'; line = lines.next()) {
    if (!line.endsWith(':[')) throw lines.createError('expected a table');
    const name = String(lines.parse(line.slice(0, -2)));
    if (tables.has(name)) throw lines.createError(`the table ${name} is there twice`);
    tables.set(name, parseRows(lines, name));
  }
  return { ...preamble.data, chain, tables };
}

function parseChain(lines: CheckpointLines, line: string): Chain {
  const chain = ChainSchema.safeParse(lines.parse(line, '"chain":'));
  if (!chain.success) throw lines.createError('the chain is not valid');
  return chain.data;
}

function parseRows(lines: CheckpointLines, name: string): StoredRow[] {
  const shape = findShape(name);
  if (shape === undefined) throw lines.createNewerFormatError(`it contains the unknown table ${name}`);
  const rows: StoredRow[] = [];
  for (let line = lines.next(); line !== ']' && line !== '],'; line = lines.next()) {
    const row = lines.parse(line);
    const { data } = shape.schema.safeParse(row);
    // A checksum shows damage only: the row may have values that no server writes.
    if (!data || findLargeNumber(data) !== undefined) throw lines.createError(`not a valid row of ${name}`);
    // Not the copy that the schema makes, which is equal: it takes 23 bytes more.
    rows.push(shareEmptyLists(row as Record<string, unknown>) as StoredRow);
  }
  return rows;
}

const emptyList: readonly never[] = Object.freeze([]);

/** An empty list takes 32 bytes, in most rows: 29 MB with a million groups. */
function shareEmptyLists(row: Record<string, unknown>): object {
  for (const name in row) {
    const value = row[name];
    if (Array.isArray(value) && value.length === 0) row[name] = emptyList;
  }
  return row;
}
