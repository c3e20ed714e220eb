/** Prints data on standard output in the requested format. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { escapeLines, jsonText } from '../io/control-characters.ts';
import { getTerminalWidth, type OutputStream } from '../io/io.ts';
import { assertColumnsPresent, assertKnownColumns, valueAt } from './columns.ts';
import type { CellOptions } from './csv.ts';
import { formatCsvHeader, formatCsvLine, listCsvColumns } from './csv.ts';
import type { Format } from './format.ts';
import { entityName } from './format.ts';
import { createListWriter, fitRulesOf, type ListShape, writePages } from './list-writer.ts';
import { maskText, maskValue } from './mask.ts';
import { type FindNames, withNameColumns, withNames } from './name-columns.ts';
import type { ResultQuery } from './query.ts';
import { createTableFormatter, formatCell, formatFields, listColumns, type TableRow } from './table.ts';

/** The part of the data to print. */
export interface Selection {
  readonly query?: ResultQuery | undefined;
  /** The columns of table and CSV output, in order. */
  readonly columns?: readonly string[] | undefined;
  /** Does not escape CSV cells that start a formula. */
  readonly csvRaw?: boolean | undefined;
  /** Hides e-mail addresses. */
  readonly mask?: boolean | undefined;
}

export interface Printer {
  readonly format: Format;
  /** The format is for people: text can replace data. */
  readonly isForPeople: boolean;
  /** Prints a value; with its schema, formats for people contain the names of ids. */
  value(value: unknown, schema?: JsonSchema): Promise<void>;
  /**
   * Prints a list page by page with backpressure. With a query the whole list is loaded first.
   * @returns the number of entries
   */
  list(pages: AsyncIterable<readonly unknown[]>, shape?: ListShape): Promise<number>;
  /** Prints lines of text in any format. */
  lines(lines: readonly string[]): void;
  /** Prints lines without escaping: they are escaped, or for programs. */
  verbatim(lines: readonly string[]): void;
  /** @throws CliError (exit 2) if the schema lacks a requested column */
  check(schema: JsonSchema | undefined): void;
}

/** Creates the printer of a stream. It stops when the reader closes the stream or the signal is aborted. */
export function createPrinter(
  stream: OutputStream,
  format: Format,
  { query, columns, csvRaw, mask }: Selection = {},
  signal?: AbortSignal,
  findNames: FindNames = async () => new Map(),
): Printer {
  const verbatim = (texts: readonly string[]) => {
    const text = texts.join('\n');
    if (texts.length > 0 && stream.writable) stream.write(`${mask ? maskText(text) : text}\n`);
  };
  const width = format === 'table' ? getTerminalWidth(stream) : undefined;
  // Before it is formatted, so that columns are aligned.
  const masked = <Value>(result: Value) => (mask ? (maskValue(result) as Value) : result);
  const value = async (result: unknown, schema?: JsonSchema) =>
    verbatim(await formatValueLines(masked(result), format, { width, columns, csvRaw, schema }));
  // The result of a query is data.
  const isForPeople = (format === 'table' || format === 'wide') && query === undefined;
  const check = (schema: JsonSchema | undefined) => {
    if (columns && !query) assertKnownColumns(columns, isForPeople ? withNameColumns({ schema }).schema : schema);
  };
  const named = <Value>(result: Value, schema: JsonSchema | undefined, printed = columns) =>
    isForPeople ? withNames(result, schema, findNames, printed) : result;
  return {
    format,
    isForPeople,
    lines: (texts) => verbatim(texts.map(escapeLines)),
    verbatim,
    check,
    value: async (result, schema) =>
      query
        ? value(query(result))
        : value((await named(result, schema)) ?? {}, schema && withNameColumns({ schema }).schema),
    list: async (pages, shape = {}) => {
      check(shape.schema);
      if (!query) {
        const shown = isForPeople ? withNameColumns(shape) : shape;
        const printed = columns ?? (format === 'table' ? shown.main : undefined);
        const rows = namedPages(pages, async (page) => masked(await named(page, shape.schema, printed)));
        return writePages(rows, await createListWriter(format, { ...shown, columns, width, csvRaw }), stream, signal);
      }
      const all: unknown[] = [];
      for await (const page of pages) all.push(...page);
      await value(query(all));
      return all.length;
    },
  };
}

type Page = readonly unknown[];

async function* namedPages(pages: AsyncIterable<Page>, withNames: (page: Page) => Page | Promise<Page>) {
  for await (const page of pages) yield await withNames(page);
}

interface OutputStyle {
  readonly width: number | undefined;
  readonly columns: readonly string[] | undefined;
  readonly csvRaw: boolean | undefined;
  /** Of declared data; undefined for the result of a query. */
  readonly schema?: JsonSchema | undefined;
}

async function formatValueLines(
  value: unknown,
  format: Format,
  { width, columns, csvRaw, schema }: OutputStyle,
): Promise<string[]> {
  if (format === 'json') return [jsonText(value, 2)];
  if (format === 'yaml') return formatYamlLines(value);
  const rows = Array.isArray(value) ? value : unwrapRows(value);
  if (format === 'jsonl') return (rows ?? [value]).map((row) => jsonText(row));
  if (format === 'name') return (rows ?? [value]).map(entityName).filter((name) => name !== '');
  if (columns) assertColumnsPresent(columns, rows ?? [value]);
  if (format === 'csv') return formatCsvLines(rows ?? [value], columns, { raw: csvRaw });
  if (rows) return formatRows(rows, { width, columns, csvRaw, schema });
  if (typeof value !== 'object') return escapeLines(String(value)).split('\n');
  return value === null
    ? []
    : formatFields(columns ? selectColumns(value as TableRow, columns) : (value as TableRow), width);
}

async function formatRows(rows: readonly unknown[], { width, columns, schema }: OutputStyle): Promise<string[]> {
  if (rows.length === 0) return [];
  if (!columns && rows.every(Array.isArray)) {
    const unnamed = listPositions(rows);
    return createTableFormatter({ width, header: false, columnsOf: () => unnamed })(rows.map((row) => ({ ...row })));
  }
  if (!rows.every(isRow)) return rows.map(formatCell);
  const fit = schema && fitRulesOf({}, columns);
  return createTableFormatter({ width, fit, columnsOf: (batch) => columns ?? listColumns(batch, undefined) })(rows);
}

function selectColumns(row: TableRow, columns: readonly string[]): TableRow {
  return Object.fromEntries(columns.map((column) => [column, valueAt(row, column)]));
}

/** The columns of rows that are arrays, such as those of `[].[a,b]`. They have no names. */
function listPositions(rows: readonly (readonly unknown[])[]): string[] {
  return Array.from({ length: rows.reduce((most, row) => Math.max(most, row.length), 0) }, (_, at) => String(at));
}

/** Formats complete rows; the columns are the union of their fields. Rows that are arrays have no header. */
function formatCsvLines(
  rows: readonly unknown[],
  columns: readonly string[] | undefined,
  options: CellOptions,
): string[] {
  if (!columns && rows.every(Array.isArray)) {
    const unnamed = listPositions(rows);
    return rows.map((row) => formatCsvLine({ ...row }, unnamed, options));
  }
  const all = columns ?? [...new Set(rows.flatMap((row) => listCsvColumns(row, undefined)))];
  if (all.length === 0) return rows.map((row) => formatCsvLine(row, all, options)).filter((line) => line !== '');
  return [formatCsvHeader(all, options), ...rows.map((row) => formatCsvLine(row, all, options))];
}

async function formatYamlLines(value: unknown): Promise<string[]> {
  const { formatYaml } = await import('../io/yaml.ts');
  return [formatYaml(value).trimEnd()];
}

/** The rows of an object whose only field is a list, such as `{keys: [..]}`. */
function unwrapRows(value: unknown): TableRow[] | undefined {
  const [only, ...others] = isRow(value) ? Object.values(value) : [];
  return others.length === 0 && Array.isArray(only) && only.every(isRow) ? only : undefined;
}

function isRow(value: unknown): value is TableRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
