/**
 * The text of a checkpoint: one JSON object, one row a line, so that people can read it, tools can compare two of
 * them, and neither writing nor reading ever handles it in one piece. Its last member is the CRC of all bytes before.
 */
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { findShape, type StoredRow } from '../layer.ts';
import { FORMAT_VERSION } from './layout.ts';
import { damaged, newerFormat, type StoreOpenError } from './open-error.ts';
import { formatCrc } from './record.ts';

export interface Checkpoint {
  /** The sequence of the last commit that it holds. */
  readonly sequence: number;
  readonly epoch: number;
  readonly writtenAt: string;
  readonly tables: ReadonlyMap<string, Iterable<StoredRow>>;
}

const Preamble = z.object({ sequence: z.number(), epoch: z.number(), writtenAt: z.string() });

const SEAL = /^"crc32":"([0-9a-f]{8})"\n\}\n$/;
const SEAL_LENGTH = '"crc32":"00000000"\n}\n'.length;
const BEGINNING = /^\{\n"formatVersion":(\d+),\n/;

/** Text is gathered up to so many characters before it is written: half a millisecond of work. */
const SLICE_LENGTH = 64 * 1024;

/** The whole text with its seal, in slices. */
export function* checkpointSlices(checkpoint: Checkpoint): Generator<Buffer> {
  let crc = 0;
  let slice = '';
  for (const text of encodeCheckpoint(checkpoint)) {
    slice += text;
    if (slice.length < SLICE_LENGTH) continue;
    const bytes = Buffer.from(slice);
    slice = '';
    crc = crc32(bytes, crc);
    yield bytes;
  }
  const bytes = Buffer.from(slice);
  yield bytes;
  yield Buffer.from(encodeSeal(crc32(bytes, crc)));
}

/** The text up to the seal, in small pieces. */
function* encodeCheckpoint({ sequence, epoch, writtenAt, tables }: Checkpoint): Generator<string> {
  yield `{\n"formatVersion":${FORMAT_VERSION},\n`;
  yield `"sequence":${sequence},\n"epoch":${epoch},\n"writtenAt":${JSON.stringify(writtenAt)},\n"tables":{\n`;
  let left = tables.size;
  for (const [name, rows] of tables) {
    yield `${JSON.stringify(name)}:[\n`;
    yield* encodeRows(rows);
    left -= 1;
    yield left > 0 ? '],\n' : ']\n';
  }
  yield '},\n';
}

function* encodeRows(rows: Iterable<StoredRow>): Generator<string> {
  let before: StoredRow | undefined;
  for (const row of rows) {
    if (before !== undefined) yield `${JSON.stringify(before)},\n`;
    before = row;
  }
  if (before !== undefined) yield `${JSON.stringify(before)}\n`;
}

/** How many rows each table has. */
export function countRows(tables: Checkpoint['tables']): Record<string, number> {
  return Object.fromEntries([...tables].map(([name, rows]) => [name, [...rows].length]));
}

/** The end of the text, by the CRC of what stands before. */
function encodeSeal(crc: number): string {
  return `"crc32":"${formatCrc(crc)}"\n}\n`;
}

/** @throws StoreOpenError for everything that `encodeCheckpoint` did not write. */
export function decodeCheckpoint(file: string, bytes: Buffer): Checkpoint {
  if (bytes.length === 0) throw damaged(file, 0, 'the file is empty');
  const version = BEGINNING.exec(bytes.toString('latin1', 0, 64))?.[1];
  if (version === undefined) throw damaged(file, 0, 'this is not a checkpoint');
  if (Number(version) > FORMAT_VERSION) throw newerFormat(file, `the checkpoint has format ${version}`);
  if (Number(version) !== FORMAT_VERSION) throw damaged(file, 0, `there is no format ${version}`);
  if (!isSealed(bytes)) throw firstDamage(file, bytes);
  return parseLines(new Lines(file, bytes));
}

function isSealed(bytes: Buffer): boolean {
  const end = bytes.length - SEAL_LENGTH;
  if (end <= 0) return false;
  return SEAL.exec(bytes.toString('latin1', end))?.[1] === formatCrc(crc32(bytes.subarray(0, end)));
}

/** Where the text can't be read, if that can be told; otherwise the seal that does not fit is all there is to name. */
function firstDamage(file: string, bytes: Buffer): StoreOpenError {
  const lines = new Lines(file, bytes);
  try {
    parseLines(lines);
  } catch {
    return lines.fault('this line is damaged');
  }
  return damaged(file, Math.max(0, bytes.length - SEAL_LENGTH), 'the checksum does not fit the contents');
}

class Lines {
  readonly #file: string;
  readonly #bytes: Buffer;
  #start = 0;
  #end = 0;

  constructor(file: string, bytes: Buffer) {
    this.#file = file;
    this.#bytes = bytes;
  }

  next(): string {
    this.#start = this.#end;
    const newline = this.#bytes.indexOf('\n', this.#start);
    if (newline < 0) throw this.fault('the file ends too early');
    this.#end = newline + 1;
    return this.#bytes.toString('utf8', this.#start, newline);
  }

  /** The value of a line that is a member or an element: what follows `prefix`, without the comma. */
  parse(line: string, prefix = ''): unknown {
    if (!line.startsWith(prefix)) throw this.fault('this line is not what should stand here');
    try {
      return JSON.parse(line.slice(prefix.length, line.endsWith(',') ? -1 : undefined));
    } catch {
      throw this.fault('this line is not JSON');
    }
  }

  /** An error that names the line read last. */
  fault(what: string): StoreOpenError {
    return damaged(this.#file, this.#start, what);
  }

  newer(what: string): StoreOpenError {
    return newerFormat(this.#file, what);
  }
}

function parseLines(lines: Lines): Checkpoint {
  lines.next();
  lines.next();
  const preamble = Preamble.safeParse({
    sequence: lines.parse(lines.next(), '"sequence":'),
    epoch: lines.parse(lines.next(), '"epoch":'),
    writtenAt: lines.parse(lines.next(), '"writtenAt":'),
  });
  if (!preamble.success) throw lines.fault('this is not the beginning of a checkpoint');
  if (lines.next() !== '"tables":{') throw lines.fault('the tables should stand here');
  const tables = new Map<string, StoredRow[]>();
  for (let line = lines.next(); line !== '},'; line = lines.next()) {
    if (!line.endsWith(':[')) throw lines.fault('a table should stand here');
    const name = String(lines.parse(line.slice(0, -2)));
    tables.set(name, parseRows(lines, name));
  }
  return { ...preamble.data, tables };
}

function parseRows(lines: Lines, name: string): StoredRow[] {
  const shape = findShape(name);
  if (shape === undefined) throw lines.newer(`there is a table ${name}`);
  const rows: StoredRow[] = [];
  for (let line = lines.next(); line !== ']' && line !== '],'; line = lines.next()) {
    const row = shape.schema.safeParse(lines.parse(line));
    if (!row.success) throw lines.fault(`this is not a row of ${name}`);
    rows.push(row.data);
  }
  return rows;
}
