/** Data on standard output, in the format that was asked for. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { assertColumnsPresent, assertKnownColumns, valueAt } from './columns.ts';
import { escapeLines, jsonText } from './control-characters.ts';
import { formatCsvHeader, formatCsvLine, listCsvColumns } from './csv.ts';
import type { CellOptions } from './csv-cell.ts';
import { entityName } from './entity-name.ts';
import { getTerminalWidth, type OutputStream } from './io.ts';
import { createListWriter, type ListShape, writePages } from './list-writer.ts';
import type { ResultQuery } from './query.ts';
import { createTableFormatter, formatCell, formatFields, listColumns, type TableRow } from './table.ts';

export type { ListShape } from './list-writer.ts';

export const formats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'name'] as const;
export type Format = (typeof formats)[number];

/** What of the data is shown. */
export interface Selection {
  readonly query?: ResultQuery | undefined;
  /** Columns of a table or of CSV, in this order. */
  readonly columns?: readonly string[] | undefined;
  /** Cells of CSV that start a formula stay as they are. */
  readonly csvRaw?: boolean | undefined;
}

export interface Printer {
  readonly format: Format;
  /** The format is one that people read: words may take the place of data. */
  readonly isForPeople: boolean;
  /** One value: an entity, or whatever a command gives. */
  value(value: unknown): Promise<void>;
  /**
   * A list, written page by page: the next page is asked for once the reader has taken what there is. With a query it is
   * read whole first. Gives how many entries there were.
   */
  list(pages: AsyncIterable<readonly unknown[]>, shape?: ListShape): Promise<number>;
  /** Lines of text, whatever the format. */
  lines(lines: readonly string[]): void;
  /** The same for lines that are escaped already, or that a program reads as they are. */
  verbatim(lines: readonly string[]): void;
  /** @throws CliError for wrong usage where what is of this kind lacks a column that was asked for */
  check(schema: JsonSchema | undefined): void;
}

/** Prints to the stream. Once the reader has gone, or the signal came, nothing more is written. */
export function createPrinter(
  stream: OutputStream,
  format: Format,
  { query, columns, csvRaw }: Selection = {},
  signal?: AbortSignal,
): Printer {
  const verbatim = (given: readonly string[]) => {
    if (given.length > 0 && stream.writable) stream.write(`${given.join('\n')}\n`);
  };
  const width = format === 'table' ? getTerminalWidth(stream) : undefined;
  const value = async (given: unknown) => verbatim(await formatValueLines(given, format, { width, columns, csvRaw }));
  const check = (schema: JsonSchema | undefined) => {
    if (columns && !query) assertKnownColumns(columns, schema);
  };
  return {
    format,
    // What a query finds is data.
    isForPeople: (format === 'table' || format === 'wide') && query === undefined,
    lines: (given) => verbatim(given.map(escapeLines)),
    verbatim,
    check,
    value: (given) => value(query ? query(given) : (given ?? {})),
    list: async (pages, shape = {}) => {
      check(shape.schema);
      if (!query)
        return writePages(pages, await createListWriter(format, { ...shape, columns, width, csvRaw }), stream, signal);
      const all: unknown[] = [];
      for await (const page of pages) all.push(...page);
      await value(query(all));
      return all.length;
    },
  };
}

interface OutputStyle {
  readonly width: number | undefined;
  readonly columns: readonly string[] | undefined;
  readonly csvRaw: boolean | undefined;
}

async function formatValueLines(
  value: unknown,
  format: Format,
  { width, columns, csvRaw }: OutputStyle,
): Promise<string[]> {
  if (format === 'json') return [jsonText(value, 2)];
  if (format === 'yaml') return formatYamlLines(value);
  const rows = Array.isArray(value) ? value : unwrapRows(value);
  if (format === 'jsonl') return (rows ?? [value]).map((row) => jsonText(row));
  if (format === 'name') return (rows ?? [value]).map(entityName).filter((name) => name !== '');
  if (columns) assertColumnsPresent(columns, rows ?? [value]);
  if (format === 'csv') return formatCsvLines(rows ?? [value], columns, { raw: csvRaw });
  if (rows) return formatRows(rows, { width, columns, csvRaw });
  if (typeof value !== 'object') return escapeLines(String(value)).split('\n');
  return value === null
    ? []
    : formatFields(columns ? selectColumns(value as TableRow, columns) : (value as TableRow), width);
}

function formatRows(rows: readonly unknown[], { width, columns }: OutputStyle): string[] {
  if (rows.length === 0) return [];
  if (!rows.every(isRow)) return rows.map(formatCell);
  return createTableFormatter({ width, columnsOf: (given) => columns ?? listColumns(given, undefined) })(rows);
}

function selectColumns(row: TableRow, columns: readonly string[]): TableRow {
  return Object.fromEntries(columns.map((column) => [column, valueAt(row, column)]));
}

/** All rows are there, so the columns are those of any of them. */
function formatCsvLines(
  rows: readonly unknown[],
  columns: readonly string[] | undefined,
  options: CellOptions,
): string[] {
  const all = columns ?? [...new Set(rows.flatMap((row) => listCsvColumns(row, undefined)))];
  if (all.length === 0) return rows.map((row) => formatCsvLine(row, all, options)).filter((line) => line !== '');
  return [formatCsvHeader(all, options), ...rows.map((row) => formatCsvLine(row, all, options))];
}

async function formatYamlLines(value: unknown): Promise<string[]> {
  const { formatYaml } = await import('./yaml.ts');
  return [formatYaml(value).trimEnd()];
}

/** The rows of an object that only wraps one list, such as `{keys: [..]}`. */
function unwrapRows(value: unknown): TableRow[] | undefined {
  const [only, ...others] = isRow(value) ? Object.values(value) : [];
  return others.length === 0 && Array.isArray(only) && only.every(isRow) ? only : undefined;
}

function isRow(value: unknown): value is TableRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
