/** Data on standard output, in the format that was asked for. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { csvColumns, csvHeading, csvLine } from './csv.ts';
import type { Output } from './io.ts';
import { cell, columnsOf, fieldLines, type Row, tableLines } from './table.ts';

export const formats = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'name'] as const;
export type Format = (typeof formats)[number];

/** What is known of the entries of a list. */
export interface ListShape {
  readonly schema?: JsonSchema | undefined;
  /** Columns that a table shows; wide shows all. */
  readonly main?: readonly string[] | undefined;
}

export interface Printer {
  readonly format: Format;
  /** The format is one that people read: words may take the place of data. */
  readonly isForPeople: boolean;
  /** One value: an entity, or whatever a command gives. */
  value(value: unknown): Promise<void>;
  /** A list; jsonl, csv and name are written as the items come. Gives how many there were. */
  list(items: AsyncIterable<unknown>, shape?: ListShape): Promise<number>;
  /** Lines as they are, whatever the format. */
  lines(lines: readonly string[]): void;
}

/** Prints to the stream. Once the reader has gone, nothing more is written. */
export function createPrinter(stream: Output, format: Format): Printer {
  const lines = (given: readonly string[]) => {
    if (given.length > 0 && stream.writable) stream.write(`${given.join('\n')}\n`);
  };
  const width = format === 'table' && stream.isTTY ? stream.columns : undefined;
  return {
    format,
    isForPeople: format === 'table' || format === 'wide',
    lines,
    value: async (value) => lines(await valueLines(value, format, width)),
    list: (items, { schema, main } = {}) => {
      const isStreamed = format === 'jsonl' || format === 'csv' || format === 'name';
      if (isStreamed) return streamList(items, lineMaker(format, schema), () => stream.writable, lines);
      return printWhole(items, { schema, main: format === 'table' ? main : undefined }, format, width, lines);
    },
  };
}

async function valueLines(value: unknown, format: Format, width: number | undefined): Promise<string[]> {
  if (format === 'json') return [JSON.stringify(value ?? {}, null, 2)];
  if (format === 'yaml') return yamlLines(value ?? {});
  const rows = wrappedRows(value);
  if (format === 'jsonl') return (rows ?? [value ?? {}]).map((row) => JSON.stringify(row));
  if (format === 'name') return (rows ?? [value]).map(nameOf).filter((name) => name !== '');
  if (format === 'csv') return csvLines(rows ?? [value ?? {}]);
  if (rows?.length === 0) return [];
  if (rows) return tableLines(rows, columnsOf(rows, undefined), width);
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : String(value).split('\n');
  return fieldLines(value as Row);
}

/** All rows are there, so the columns are those of any of them. */
function csvLines(rows: readonly unknown[]): string[] {
  const columns = [...new Set(rows.flatMap((row) => csvColumns(row, undefined)))];
  if (columns.length === 0) return rows.map((row) => csvLine(row, columns)).filter((line) => line !== '');
  return [csvHeading(columns), ...rows.map((row) => csvLine(row, columns))];
}

type Lines = (given: readonly string[]) => void;

async function printWhole(
  items: AsyncIterable<unknown>,
  { schema, main }: ListShape,
  format: Format,
  width: number | undefined,
  lines: Lines,
): Promise<number> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  if (format === 'json') lines([JSON.stringify(all, null, 2)]);
  else if (format === 'yaml') lines(await yamlLines(all));
  else if (all.length > 0) {
    const columns = columnsOf(all as Row[], schema).filter((column) => main?.includes(column) ?? true);
    lines(tableLines(all as Row[], columns, width));
  }
  return all.length;
}

interface LineMaker {
  /** What stands above the first item; also where there is none. */
  heading(first: unknown): string[];
  line(item: unknown): string;
}

function lineMaker(format: Format, schema: JsonSchema | undefined): LineMaker {
  if (format !== 'csv')
    return { heading: () => [], line: (item) => (format === 'name' ? nameOf(item) : JSON.stringify(item)) };
  let columns: string[] = [];
  return {
    heading: (first) => {
      columns = csvColumns(first, schema);
      return columns.length > 0 ? [csvHeading(columns)] : [];
    },
    line: (item) => csvLine(item, columns),
  };
}

async function streamList(
  items: AsyncIterable<unknown>,
  maker: LineMaker,
  isRead: () => boolean,
  lines: Lines,
): Promise<number> {
  let count = 0;
  for await (const item of items) {
    if (!isRead()) break;
    lines([...(count === 0 ? maker.heading(item) : []), maker.line(item)]);
    count += 1;
  }
  if (count === 0) lines(maker.heading(undefined));
  return count;
}

async function yamlLines(value: unknown): Promise<string[]> {
  const { yamlText } = await import('./yaml.ts');
  return [yamlText(value).trimEnd()];
}

/** The rows of `[..]` or of an object that only wraps one list, such as `{keys: [..]}`. */
function wrappedRows(value: unknown): Row[] | undefined {
  if (Array.isArray(value)) return value.every(isRow) ? value : undefined;
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return values.length === 1 && Array.isArray(values[0]) ? wrappedRows(values[0]) : undefined;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What other commands take as the argument for it: of groups the name, of everything else the id. */
export function nameOf(value: unknown): string {
  if (!isRow(value)) return cell(value);
  const names = Object.keys(value);
  const best =
    names.find((name) => name === 'groupName') ?? names.find((name) => /^(\w*Id|id|kid)$/.test(name)) ?? names[0];
  return best === undefined ? '' : cell(value[best]);
}
