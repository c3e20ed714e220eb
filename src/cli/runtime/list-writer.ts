/** Lists in every format, page by page: whatever their length, no more than a thousand entries or a page are held. */
import { once } from 'node:events';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { jsonText } from './control-characters.ts';
import { formatCsvHeader, formatCsvLine, listCsvColumns } from './csv.ts';
import { entityName } from './entity-name.ts';
import type { OutputStream } from './io.ts';
import type { Format } from './output.ts';
import { createTableFormatter, listColumns, type TableRow } from './table.ts';

/** Rows of a table that are lined up together. */
const rowsPerTable = 1_000;

/** What is known of the entries of a list. */
export interface ListShape {
  readonly schema?: JsonSchema | undefined;
  /** Columns that a table shows; wide shows all. */
  readonly main?: readonly string[] | undefined;
}

export interface ListWriter {
  /** So many entries are better written together. */
  readonly minBatchSize?: number;
  /** The text of some entries, in the order in which they come; never called with none. */
  page(items: readonly unknown[]): string;
  /** What stands after the last of them; `count` is how many there were. */
  end(count: number): string;
}

interface ListStyle extends ListShape {
  readonly columns: readonly string[] | undefined;
  readonly width: number | undefined;
  /** Cells of CSV that start a formula stay as they are. */
  readonly csvRaw: boolean | undefined;
}

/** The writer of a format. */
export async function createListWriter(format: Format, style: ListStyle): Promise<ListWriter> {
  if (format === 'json') return createJsonWriter();
  if (format === 'jsonl') return createLineWriter((item) => jsonText(item));
  if (format === 'name') return createLineWriter(entityName);
  if (format === 'csv') return createCsvWriter(style);
  if (format === 'table' || format === 'wide') return createRowWriter(format, style);
  const { formatYaml } = await import('./yaml.ts');
  return { page: (items) => formatYaml(items), end: (count) => (count === 0 ? formatYaml([]) : '') };
}

/**
 * One document: a list that is not read to its end is never closed, so that nobody takes it for the whole. Looks as if it
 * were made at once.
 */
function createJsonWriter(): ListWriter {
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

function createLineWriter(line: (item: unknown) => string): ListWriter {
  return { page: (items) => items.map((item) => `${line(item)}\n`).join(''), end: () => '' };
}

/** What stands above the first entry stands there also where there is none. */
function createCsvWriter({ schema, columns: chosen, csvRaw: raw }: ListStyle): ListWriter {
  let columns: readonly string[] | undefined;
  const heading = (first?: unknown) => {
    if (columns) return '';
    columns = chosen ?? listCsvColumns(first, schema);
    return columns.length > 0 ? `${formatCsvHeader(columns, { raw })}\n` : '';
  };
  return {
    page: (items) =>
      heading(items[0]) + items.map((item) => `${formatCsvLine(item, columns ?? [], { raw })}\n`).join(''),
    end: () => heading(),
  };
}

function createRowWriter(format: Format, { schema, main, columns, width }: ListStyle): ListWriter {
  const shown = format === 'table' ? main : undefined;
  const lines = createTableFormatter({
    width,
    columnsOf: (rows) => columns ?? listColumns(rows, schema).filter((column) => shown?.includes(column) ?? true),
  });
  return {
    minBatchSize: rowsPerTable,
    page: (items) =>
      lines(items as TableRow[])
        .join('\n')
        .concat('\n'),
    end: () => '',
  };
}

/** Writes a list, each page once the reader has taken those before. Gives how many entries were written. */
export async function writePages(
  pages: AsyncIterable<readonly unknown[]>,
  writer: ListWriter,
  stream: OutputStream,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  for await (const items of writer.minBatchSize === undefined ? pages : batchPages(pages, writer.minBatchSize)) {
    if (items.length === 0) continue;
    if (!(await writeWithBackpressure(stream, writer.page(items), signal))) return count + items.length;
    count += items.length;
  }
  const end = writer.end(count);
  if (end !== '') await writeWithBackpressure(stream, end, signal);
  return count;
}

async function* batchPages(pages: AsyncIterable<readonly unknown[]>, minBatchSize: number) {
  let items: unknown[] = [];
  for await (const page of pages) {
    items.push(...page);
    if (items.length < minBatchSize) continue;
    yield items;
    items = [];
  }
  yield items;
}

/** Writes and waits until there is room for more; false where nobody reads any longer. */
async function writeWithBackpressure(
  stream: OutputStream,
  text: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!stream.writable) return false;
  if (!stream.write(text) && stream.writable) await waitForDrain(stream, signal);
  return stream.writable;
}

async function waitForDrain(stream: OutputStream, signal: AbortSignal | undefined): Promise<void> {
  const over = new AbortController();
  const options = { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal };
  // A broken pipe is told as an error and a close, in either order: none of them is a failure here.
  const events = ['drain', 'close', 'error'].map((event) => once(stream, event, options).catch(() => undefined));
  await Promise.race(events);
  over.abort();
}
