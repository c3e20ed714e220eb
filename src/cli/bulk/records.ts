/** A file of rows, CSV or JSON lines, a record at a time: no more than one piece of the file is held. */
import { createReadStream } from 'node:fs';
import { CsvReader, type CsvRecord } from './csv-reader.ts';

export interface RowRecord {
  /** The first row is 1; headings and blank lines do not count. */
  readonly number: number;
  readonly line: number;
  /** As it stands in the file. */
  readonly text: string;
  /** Cells by the names of their columns, or a JSON value. */
  readonly cells?: Readonly<Record<string, string>>;
  readonly value?: unknown;
  /** Why it is no row. */
  readonly problem?: string;
}

export interface RowFile {
  readonly kind: 'csv' | 'jsonl';
  /** The first line of CSV, which files of its rows need as well. */
  readonly heading: string | undefined;
  readonly rows: AsyncGenerator<RowRecord, void, undefined>;
}

const longestRow = 1024 * 1024;

/**
 * Opens a file: JSON lines begin with a brace, everything else is CSV with a heading.
 * @throws Error in words for people, where it is neither or not UTF-8
 */
export async function openRows(file: string): Promise<RowFile> {
  const pieces = textOf(file);
  const first = await firstText(pieces);
  const all = joined(first, pieces);
  if (/^\s*\{/.test(first)) return { kind: 'jsonl', heading: undefined, rows: jsonRows(all) };
  const records = csvRecords(all);
  const { value: heading } = await records.next();
  if (!heading) throw new Error('It holds no rows.');
  const names = heading.cells.map((cell) => cell.trim());
  const seen = new Set<string>(['']);
  const twice = names.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined)
    throw new Error(`Its heading names the column ${JSON.stringify(twice)} twice, or not at all.`);
  return { kind: 'csv', heading: heading.text, rows: csvRows(records, names) };
}

async function* textOf(file: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) yield decoder.decode(chunk as Buffer, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? new Error('It is not UTF-8.') : error;
  }
}

/** Enough to see what it is. */
async function firstText(pieces: AsyncGenerator<string, void, undefined>): Promise<string> {
  let text = '';
  while (text.trim() === '') {
    const { value, done } = await pieces.next();
    if (done) break;
    text += value;
    requireEnd(text.length);
  }
  return text;
}

async function* joined(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield first;
  yield* rest;
}

async function* csvRecords(pieces: AsyncIterable<string>): AsyncGenerator<CsvRecord, void, undefined> {
  const reader = new CsvReader();
  for await (const piece of pieces) {
    yield* reader.push(piece);
    requireEnd(reader.pending);
  }
  yield* reader.end();
}

async function* csvRows(
  records: AsyncIterable<CsvRecord>,
  names: readonly string[],
): AsyncGenerator<RowRecord, void, undefined> {
  let number = 0;
  for await (const { line, text, cells, problem } of records) {
    number += 1;
    const wrong = problem ?? (cells.length > names.length ? 'it has more cells than the heading' : undefined);
    const named = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
    yield { number, line, text, cells: named, ...(wrong === undefined ? {} : { problem: wrong }) };
  }
}

async function* jsonRows(pieces: AsyncIterable<string>): AsyncGenerator<RowRecord, void, undefined> {
  let [number, line] = [0, 0];
  for await (const text of linesOf(pieces)) {
    line += 1;
    if (text.trim() === '') continue;
    number += 1;
    yield { number, line, text, ...parsed(text) };
  }
}

function parsed(text: string): Pick<RowRecord, 'value' | 'problem'> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: 'it is not JSON' };
  }
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.map((line) => line.replace(/\r$/, ''));
    requireEnd(rest.length);
  }
  if (rest !== '') yield rest;
}

function requireEnd(pending: number): void {
  if (pending > longestRow) throw new Error('A row of it is longer than 1 MiB; a quote may be missing.');
}
