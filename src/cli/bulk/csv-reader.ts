/** Streams the records of a CSV text (RFC 4180). */
import { pipeline } from 'node:stream';
import { type CsvError, type Options, parse } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
import type { CsvDelimiter } from './delimiter.ts';

export interface CsvRecord {
  /** First line of the record, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Source text, without the final line break. */
  readonly text: string;
  /** Syntax error of an invalid record. */
  readonly problem?: string;
}

/** What the parser returns for a record. */
interface ParsedRecord {
  readonly record: readonly string[];
  readonly raw: string;
  readonly problem?: string;
}

/**
 * Yields the records; skips blank lines and rows of empty cells. `maxSize` limits the size of a record in bytes.
 * @throws Error with a user-facing message if a record is larger
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  delimiter: CsvDelimiter,
  maxSize: number,
): AsyncGenerator<CsvRecord, void, undefined> {
  let line = 1;
  for await (const { record, raw, problem } of parseRecords(chunks, delimiter, maxSize)) {
    // The last character is that of a line break, if there is one: csv-parse adds no more than its first character.
    const text = raw.replace(/[\r\n]$/, '');
    const reason = problem ?? findQuoteProblem(record, text, delimiter);
    // A spreadsheet writes the delimiters of an empty row.
    const isBlank = reason === undefined ? record.every((cell) => cell.trim() === '') : text.trim() === '';
    if (!isBlank) yield { line, cells: record, text, ...(reason === undefined ? {} : { problem: reason }) };
    line += text.split('\n').length;
  }
}

/** Parses leniently, so that a misplaced quote makes only its own record invalid. */
function parseRecords(
  chunks: AsyncIterable<string>,
  delimiter: CsvDelimiter,
  maxSize: number,
): AsyncIterable<ParsedRecord> {
  const parser = parse({
    ...optionsFor(delimiter),
    relax_quotes: true,
    raw: true,
    max_record_size: maxSize,
    skip_records_with_error: true,
    on_skip: (error, raw) => {
      if (error?.code !== 'CSV_QUOTE_NOT_CLOSED') throw describeError(error, maxSize);
      parser.push({ record: [], raw, problem: 'a quote is never closed' });
    },
  });
  // The iterator of the parser throws the error of either stream.
  pipeline(withoutFinalReturn(chunks), parser, () => undefined);
  return parser;
}

/** Without a carriage return at the end of the file: half of a line break, which would become part of the last cell. */
async function* withoutFinalReturn(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let pending = '';
  for await (const chunk of chunks) {
    const text = pending + chunk;
    pending = text.endsWith('\r') ? '\r' : '';
    yield pending === '' ? text : text.slice(0, -1);
  }
}

function optionsFor(delimiter: CsvDelimiter): Options {
  return { delimiter, record_delimiter: ['\r\n', '\n'], relax_column_count: true };
}

function describeError(error: CsvError | undefined, maxSize: number): Error {
  if (error?.code !== 'CSV_MAX_RECORD_SIZE') return error ?? new Error('The file is not CSV.');
  return new Error(`A row is longer than ${maxSize / 1024 / 1024} MiB; a quote may be missing.`);
}

/** The lenient parser keeps the quotes of an invalid cell, so only such records are parsed again. */
function findQuoteProblem(cells: readonly string[], text: string, delimiter: CsvDelimiter): string | undefined {
  if (!cells.some((cell) => cell.startsWith('"'))) return undefined;
  try {
    parseSync(text, optionsFor(delimiter));
    return undefined;
  } catch (error) {
    const { code } = error as CsvError;
    return code === 'CSV_INVALID_CLOSING_QUOTE' ? 'text follows a closing quote' : 'a quote is inside an unquoted cell';
  }
}
