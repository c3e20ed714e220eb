/** Streams a file of rows (CSV or JSON lines) record by record; only one chunk is in memory. */
import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { type CsvRecord, detectDelimiter, readCsv } from './csv-reader.ts';

export interface RowRecord {
  /** Row number from 1; header and blank lines do not count. */
  readonly number: number;
  readonly line: number;
  /** Source text. */
  readonly text: string;
  /** Cells by column name (CSV), or a JSON value. */
  readonly cells?: Readonly<Record<string, string>>;
  readonly value?: unknown;
  /** Error of an invalid row. */
  readonly problem?: string;
}

export interface RowFile {
  readonly kind: 'csv' | 'jsonl';
  /** CSV header line, which is repeated in the reject file. */
  readonly header: string | undefined;
  readonly rows: AsyncGenerator<RowRecord, void, undefined>;
}

const maxRowLength = 1024 * 1024;

/**
 * Opens a file. JSON lines start with a brace; everything else is CSV with a header row, whose delimiter (comma,
 * semicolon or tab) separates all cells. The text is UTF-8, or UTF-16 with a byte order mark.
 * @throws Error with a user-facing message if it is neither
 */
export async function openRows(file: string): Promise<RowFile> {
  const chunks = readText(file);
  const first = await readFirstLine(chunks);
  const all = concat(first, chunks);
  if (/^\s*\{/.test(first)) return { kind: 'jsonl', header: undefined, rows: parseJsonRows(all) };
  const [headerLine = ''] = first.trimStart().split('\n', 1);
  const records = readCsv(all, detectDelimiter(headerLine), maxRowLength);
  const { value: header } = await records.next();
  if (!header) throw new Error('The file contains no rows.');
  if (header.problem !== undefined) throw new Error(`The header row is not valid: ${header.problem}.`);
  const names = header.cells.map((cell) => cell.trim());
  const seen = new Set<string>(['']);
  const duplicate = names.find((name) => seen.size === seen.add(name).size);
  if (duplicate !== undefined)
    throw new Error(`The header row has a duplicate or empty column name: ${JSON.stringify(duplicate)}.`);
  return { kind: 'csv', header: header.text, rows: parseCsvRows(records, names) };
}

async function* readText(file: string): AsyncGenerator<string, void, undefined> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of createReadStream(file)) {
      decoder ??= new TextDecoder(detectEncoding(chunk as Buffer), { fatal: true });
      yield decoder.decode(chunk as Buffer, { stream: true });
    }
    yield decoder?.decode() ?? '';
  } catch (error) {
    throw error instanceof TypeError ? unreadableText(decoder?.encoding ?? 'utf-8') : error;
  }
}

/** Spreadsheets write "Unicode text" as UTF-16 with a byte order mark. */
function detectEncoding([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function unreadableText(encoding: string): Error {
  if (encoding !== 'utf-8') return new Error(`The file is not valid ${encoding.toUpperCase()}.`);
  return new Error('The file is not UTF-8. Save it as UTF-8, or as UTF-16 with a byte order mark.');
}

/** Reads enough text to detect the format: up to the end of the first line that is not blank. */
async function readFirstLine(chunks: AsyncGenerator<string, void, undefined>): Promise<string> {
  let text = '';
  while (!text.trimStart().includes('\n')) {
    const { value, done } = await chunks.next();
    if (done) break;
    text += value;
    // UTF-16 without a byte order mark is valid UTF-8 with zero characters.
    if (text.slice(0, 2).includes('\0')) throw unreadableText('utf-8');
    if (!text.trimStart().includes('\n')) assertRowLength(text.length);
  }
  return text;
}

async function* concat(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield first;
  yield* rest;
}

async function* parseCsvRows(
  records: AsyncIterable<CsvRecord>,
  names: readonly string[],
): AsyncGenerator<RowRecord, void, undefined> {
  let number = 0;
  for await (const { line, text, cells, problem } of records) {
    number += 1;
    const reason = problem ?? (cells.length > names.length ? 'more cells than the header row' : undefined);
    const named = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
    yield { number, line, text, cells: named, ...(reason === undefined ? {} : { problem: reason }) };
  }
}

async function* parseJsonRows(chunks: AsyncIterable<string>): AsyncGenerator<RowRecord, void, undefined> {
  let [number, line] = [0, 0];
  for await (const text of splitLines(chunks)) {
    line += 1;
    if (text.trim() === '') continue;
    number += 1;
    yield { number, line, text, ...parseJson(text) };
  }
}

function parseJson(text: string): Pick<RowRecord, 'value' | 'problem'> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: 'invalid JSON' };
  }
}

async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.map((line) => line.replace(/\r$/, ''));
    assertRowLength(rest.length);
  }
  if (rest !== '') yield rest;
}

function assertRowLength(pending: number): void {
  if (pending > maxRowLength) throw new Error('A row is longer than 1 MiB; a quote may be missing.');
}
