/** Data on standard output, in the format that was asked for. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Output } from './io.ts';
import { cell, columnsOf, fieldLines, type Row, tableLines } from './table.ts';

export const formats = ['table', 'json', 'jsonl', 'yaml', 'name'] as const;
export type Format = (typeof formats)[number];

export interface Printer {
  readonly format: Format;
  /** One value: an entity, or whatever a command gives. */
  value(value: unknown): Promise<void>;
  /** A list; jsonl and name are written as the items come. Gives how many there were. */
  list(items: AsyncIterable<unknown>, schema?: JsonSchema): Promise<number>;
  /** Lines as they are, whatever the format. */
  lines(lines: readonly string[]): void;
}

/** Prints to the stream. Once the reader has gone, nothing more is written. */
export function createPrinter(stream: Output, format: Format): Printer {
  const lines = (given: readonly string[]) => {
    if (given.length > 0 && stream.writable) stream.write(`${given.join('\n')}\n`);
  };
  return {
    format,
    lines,
    value: async (value) => lines(await valueLines(value, format, stream)),
    list: (items, schema) => printList(items, schema, format, stream, lines),
  };
}

async function valueLines(value: unknown, format: Format, stream: Output): Promise<string[]> {
  if (format === 'json') return [JSON.stringify(value ?? {}, null, 2)];
  if (format === 'yaml') return yamlLines(value ?? {});
  const rows = wrappedRows(value);
  if (format === 'jsonl') return (rows ?? [value ?? {}]).map((row) => JSON.stringify(row));
  if (format === 'name') return (rows ?? [value]).map(nameOf).filter((name) => name !== '');
  if (rows?.length === 0) return [];
  if (rows) return tableLines(rows, columnsOf(rows, undefined), widthOf(stream));
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : String(value).split('\n');
  return fieldLines(value as Row);
}

async function printList(
  items: AsyncIterable<unknown>,
  schema: JsonSchema | undefined,
  format: Format,
  stream: Output,
  lines: (given: readonly string[]) => void,
): Promise<number> {
  if (format === 'jsonl' || format === 'name') return streamList(items, format, stream, lines);
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  if (format === 'json') lines([JSON.stringify(all, null, 2)]);
  else if (format === 'yaml') lines(await yamlLines(all));
  else if (all.length > 0) lines(tableLines(all as Row[], columnsOf(all as Row[], schema), widthOf(stream)));
  return all.length;
}

async function streamList(
  items: AsyncIterable<unknown>,
  format: Format,
  stream: Output,
  lines: (given: readonly string[]) => void,
): Promise<number> {
  let count = 0;
  for await (const item of items) {
    if (!stream.writable) break;
    lines([format === 'name' ? nameOf(item) : JSON.stringify(item)]);
    count += 1;
  }
  return count;
}

async function yamlLines(value: unknown): Promise<string[]> {
  const { yamlText } = await import('./yaml.ts');
  return [yamlText(value).trimEnd()];
}

function widthOf(stream: Output): number | undefined {
  return stream.isTTY ? stream.columns : undefined;
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

/** What other commands take as the argument for it: its name, else its id. */
export function nameOf(value: unknown): string {
  if (!isRow(value)) return cell(value);
  const names = Object.keys(value);
  const best =
    names.find((name) => /^(\w*Name|name)$/.test(name)) ??
    names.find((name) => /^(\w*Id|id|kid)$/.test(name)) ??
    names[0];
  return best === undefined ? '' : cell(value[best]);
}
