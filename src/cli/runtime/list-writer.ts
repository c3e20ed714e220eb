/** Lists in every format, page by page: whatever their length, no more than a thousand entries or a page are held. */
import { once } from 'node:events';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { jsonText } from './control-characters.ts';
import { csvColumns, csvHeading, csvLine } from './csv.ts';
import type { Output } from './io.ts';
import { nameOf } from './names.ts';
import type { Format } from './output.ts';
import { columnsOf, type Row, tableWriter } from './table.ts';

/** Rows of a table that are lined up together. */
const tableLength = 1_000;

/** What is known of the entries of a list. */
export interface ListShape {
  readonly schema?: JsonSchema | undefined;
  /** Columns that a table shows; wide shows all. */
  readonly main?: readonly string[] | undefined;
}

export interface ListWriter {
  /** So many entries are better written together. */
  readonly least?: number;
  /** The text of some entries, in the order in which they come; never called with none. */
  page(items: readonly unknown[]): string;
  /** What stands after the last of them; `count` is how many there were. */
  end(count: number): string;
}

interface ListLook extends ListShape {
  readonly columns: readonly string[] | undefined;
  readonly width: number | undefined;
  /** Cells of CSV that start a formula stay as they are. */
  readonly csvRaw: boolean | undefined;
}

/** The writer of a format. */
export async function listWriter(format: Format, look: ListLook): Promise<ListWriter> {
  if (format === 'json') return jsonWriter();
  if (format === 'jsonl') return lineWriter((item) => jsonText(item));
  if (format === 'name') return lineWriter(nameOf);
  if (format === 'csv') return csvWriter(look);
  if (format === 'table' || format === 'wide') return rowWriter(format, look);
  const { yamlText } = await import('./yaml.ts');
  return { page: (items) => yamlText(items), end: (count) => (count === 0 ? yamlText([]) : '') };
}

/**
 * One document: a list that is not read to its end is never closed, so that nobody takes it for the whole. Looks as if it
 * were made at once.
 */
function jsonWriter(): ListWriter {
  let before = '[\n';
  return {
    page: (items) => {
      const text = items.map((item) => jsonText(item, 2).replace(/^/gm, '  ')).join(',\n');
      const page = before + text;
      before = ',\n';
      return page;
    },
    end: (count) => (count === 0 ? '[]\n' : '\n]\n'),
  };
}

function lineWriter(line: (item: unknown) => string): ListWriter {
  return { page: (items) => items.map((item) => `${line(item)}\n`).join(''), end: () => '' };
}

/** What stands above the first entry stands there also where there is none. */
function csvWriter({ schema, columns: chosen, csvRaw: raw }: ListLook): ListWriter {
  let columns: readonly string[] | undefined;
  const heading = (first?: unknown) => {
    if (columns) return '';
    columns = chosen ?? csvColumns(first, schema);
    return columns.length > 0 ? `${csvHeading(columns, { raw })}\n` : '';
  };
  return {
    page: (items) => heading(items[0]) + items.map((item) => `${csvLine(item, columns ?? [], { raw })}\n`).join(''),
    end: () => heading(),
  };
}

function rowWriter(format: Format, { schema, main, columns, width }: ListLook): ListWriter {
  const shown = format === 'table' ? main : undefined;
  const lines = tableWriter({
    width,
    columnsOf: (rows) => columns ?? columnsOf(rows, schema).filter((column) => shown?.includes(column) ?? true),
  });
  return {
    least: tableLength,
    page: (items) =>
      lines(items as Row[])
        .join('\n')
        .concat('\n'),
    end: () => '',
  };
}

/** Writes a list, each page once the reader has taken those before. Gives how many entries were written. */
export async function writePages(
  pages: AsyncIterable<readonly unknown[]>,
  writer: ListWriter,
  stream: Output,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  for await (const items of writer.least === undefined ? pages : together(pages, writer.least)) {
    if (items.length === 0) continue;
    if (!(await taken(stream, writer.page(items), signal))) return count + items.length;
    count += items.length;
  }
  const end = writer.end(count);
  if (end !== '') await taken(stream, end, signal);
  return count;
}

async function* together(pages: AsyncIterable<readonly unknown[]>, least: number) {
  let items: unknown[] = [];
  for await (const page of pages) {
    items.push(...page);
    if (items.length < least) continue;
    yield items;
    items = [];
  }
  yield items;
}

/** Writes and waits until there is room for more; false where nobody reads any longer. */
async function taken(stream: Output, text: string, signal: AbortSignal | undefined): Promise<boolean> {
  if (!stream.writable) return false;
  if (!stream.write(text) && stream.writable) await room(stream, signal);
  return stream.writable;
}

async function room(stream: Output, signal: AbortSignal | undefined): Promise<void> {
  const over = new AbortController();
  const options = { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal };
  // A broken pipe is told as an error and a close, in either order: none of them is a failure here.
  const events = ['drain', 'close', 'error'].map((event) => once(stream, event, options).catch(() => undefined));
  await Promise.race(events);
  over.abort();
}
