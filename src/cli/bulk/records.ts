/** Streams a file of rows (CSV or JSON lines) record by record; only one chunk is in memory. */
import { JsonError, parseJson } from '../../lib/json-text.ts';
import { decodeText, maxRowBytes } from '../../lib/text-file.ts';
import { type CsvRecord, readCsv } from './csv-reader.ts';
import { type CsvDelimiter, detectDelimiter, readSeparatorLine } from './delimiter.ts';
import { mayPrecedeRows, withoutMark } from './run-mark.ts';

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
  /** A line `sep=;`, if a CSV file of the same header would be read with another delimiter. */
  readonly separator: string | undefined;
  /** CSV header line, which is repeated in the reject file. */
  readonly header: string | undefined;
  readonly rows: AsyncGenerator<RowRecord, void, undefined>;
}

const maxRowLength = 1024 * 1024;

/**
 * Opens a file. JSON lines start with a brace; everything else is CSV with a header row, whose delimiter (comma,
 * semicolon or tab) separates all cells, unless the caller or a first line `sep=;` names one. The text is UTF-8, or UTF-16
 * with a byte order mark.
 * @throws Error with a user-facing message if it is neither
 */
export async function openRows(input: AsyncIterable<Buffer>, delimiter?: CsvDelimiter): Promise<RowFile> {
  const chunks = decodeText(input, maxRowBytes);
  const first = withoutMark(await readFirstLines(chunks));
  const all = concat(first, chunks);
  if (/^\s*\{/.test(first)) return { kind: 'jsonl', separator: undefined, header: undefined, rows: parseJsonRows(all) };
  if (/^\s*\[/.test(first))
    throw new Error("The file is a JSON array; write one object per line, for example with `jq -c '.[]'`.");
  const [headerLine = ''] = first.trimStart().split('\n', 1);
  if (/^(---\s*$|- |[\w.]+: )/.test(headerLine))
    throw new Error('The file looks like YAML; write JSON Lines, one object per line, or CSV.');
  const separator = readSeparatorLine(headerLine);
  const records = readCsv(all, delimiter ?? separator ?? detectDelimiter(headerLine), maxRowLength);
  if (separator !== undefined) await records.next();
  const { value: header } = await records.next();
  if (!header) throw new Error('The file contains no rows.');
  if (header.problem !== undefined) throw new Error(`The header row is not valid: ${header.problem}.`);
  const names = withoutEmptyEnd(header.cells.map((cell) => cell.trim()));
  assertColumnNames(names);
  // A file of rejected rows must be read with the same delimiter.
  const used = delimiter ?? separator;
  const named = used === undefined || used === detectDelimiter(headerLine) ? undefined : `sep=${used}`;
  return { kind: 'csv', separator: named, header: header.text, rows: parseCsvRows(records, names) };
}

/** Without the empty cells at the end of a row, which spreadsheets add. */
function withoutEmptyEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
}

function assertColumnNames(names: readonly string[]): void {
  const unnamed = names.indexOf('');
  if (unnamed >= 0) throw new Error(`The header row has no name for column ${unnamed + 1}.`);
  const columns = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    const first = columns.get(name);
    if (first !== undefined)
      throw new Error(
        `The header row has a duplicate column name: ${JSON.stringify(name)} (${first + 1} and ${at + 1}).`,
      );
    columns.set(name, at);
  }
  const [only = ''] = names;
  if (names.length === 1 && only.includes('|'))
    throw new Error(
      `The header row has one column, ${JSON.stringify(only)}. If | separates cells, add --delimiter '|'.`,
    );
}

/** Reads enough text to detect the format: up to the end of the first row, or of the header row. */
async function readFirstLines(chunks: AsyncGenerator<string, void, undefined>): Promise<string> {
  let text = '';
  while (!includesRows(text)) {
    const { value, done } = await chunks.next();
    if (done) break;
    text += value;
    if (!includesRows(text)) assertRowLength(text.length);
  }
  return text;
}

/** Whether a line is complete that is neither blank nor about the file. */
function includesRows(text: string): boolean {
  const lines = text.split('\n').slice(0, -1);
  return lines.some((line) => line.trim() !== '' && !mayPrecedeRows(line.trim()));
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
    const reason = problem ?? describeLength(cells, names.length);
    const named = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
    yield { number, line, text, cells: named, ...(reason === undefined ? {} : { problem: reason }) };
  }
}

/** Cells behind the last column must be empty. */
function describeLength(row: readonly string[], columns: number): string | undefined {
  const cells = row.length > columns ? Math.max(columns, withoutEmptyEnd(row).length) : row.length;
  if (cells === columns) return undefined;
  const advice = cells < columns ? 'write empty cells, too' : 'put cells that contain the delimiter in quotes';
  return `has ${cells} cells, and the header row has ${columns}; ${advice}`;
}

async function* parseJsonRows(chunks: AsyncIterable<string>): AsyncGenerator<RowRecord, void, undefined> {
  let [number, line] = [0, 0];
  for await (const text of splitLines(chunks)) {
    line += 1;
    if (text.trim() === '') continue;
    number += 1;
    yield { number, line, text, ...parseRow(text) };
  }
}

function parseRow(text: string): Pick<RowRecord, 'value' | 'problem'> {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { problem: `column ${error.column}: ${error.problem.reason}` };
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
