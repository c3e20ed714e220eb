/** Writes lists in every format page by page. Buffers at most a page or a thousand entries. */
import { once } from 'node:events';
import { type EntityDeclaration, entities } from '../../contract/entities.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { jsonText } from '../io/control-characters.ts';
import type { OutputStream } from '../io/io.ts';
import { formatCsvHeader, formatCsvLine, listCsvColumns } from './csv.ts';
import type { Format } from './format.ts';
import { entityName } from './format.ts';
import { createTableFormatter, type FitRules, listColumns, type TableRow } from './table.ts';

/** The number of table rows that are aligned together. */
const rowsPerTable = 1_000;

/** The declared entries of a list. */
export interface ListShape {
  readonly schema?: JsonSchema | undefined;
  /** The columns of `-o table`; `-o wide` prints all. */
  readonly main?: readonly string[] | undefined;
  /** Columns of texts, which a table truncates. Names of entities and lists are as well. */
  readonly text?: readonly string[] | undefined;
  /** Columns that a table never leaves out. By default the first two. */
  readonly required?: readonly string[] | undefined;
}

export interface ListWriter {
  /** The preferred min number of entries per batch. */
  readonly minBatchSize?: number;
  /** Formats the next entries, at least one. */
  page(items: readonly unknown[]): string | Promise<string>;
  /** Formats the end of the list; `count` is the number of entries. */
  end(count: number): string;
  /** Text that invalidates the output so far, if a part of a document could pass for a complete one. */
  readonly incomplete?: string;
}

/** An unterminated scalar: YAML parsers reject the document. */
const invalidYaml = '"incomplete: the list was not read to its end\n';

const nameColumns = Object.values<EntityDeclaration>(entities).flatMap(({ nameColumn }) => nameColumn ?? []);

/** How the columns of a list fit. Those that the caller selects are not left out. */
export function fitRulesOf({ text = [], required }: ListShape, selected: readonly string[] | undefined): FitRules {
  return { text: [...nameColumns, ...text], required: selected ?? required };
}

interface ListStyle extends ListShape {
  readonly columns: readonly string[] | undefined;
  readonly width: number | undefined;
  /** Does not escape CSV cells that start a formula. */
  readonly csvRaw: boolean | undefined;
}

export async function createListWriter(format: Format, style: ListStyle): Promise<ListWriter> {
  if (format === 'json') return createJsonWriter();
  if (format === 'jsonl') return createLineWriter((item) => jsonText(item));
  if (format === 'name') return createLineWriter(entityName);
  if (format === 'csv') return createCsvWriter(style);
  if (format === 'table' || format === 'wide') return createRowWriter(format, style);
  const { formatYaml } = await import('../io/yaml.ts');
  return {
    page: (items) => formatYaml(items),
    end: (count) => (count === 0 ? formatYaml([]) : ''),
    incomplete: invalidYaml,
  };
}

/**
 * Writes one JSON document, formatted as if it were serialized at once. An interrupted list is not closed, so that
 * readers detect that it is incomplete.
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

/** The header line is printed even without entries. */
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

function createRowWriter(format: Format, { schema, main, columns, width, ...shape }: ListStyle): ListWriter {
  const visible = format === 'table' ? main : undefined;
  const lines = createTableFormatter({
    width,
    fit: fitRulesOf(shape, columns),
    columnsOf: (rows) => columns ?? listColumns(rows, schema).filter((column) => visible?.includes(column) ?? true),
  });
  return {
    minBatchSize: rowsPerTable,
    page: async (items) => `${(await lines(items as TableRow[])).join('\n')}\n`,
    end: () => '',
  };
}

/**
 * Writes a list page by page, with backpressure. If a later page fails, the output so far is no valid JSON or YAML.
 * @returns the number of entries written
 */
export async function writePages(
  pages: AsyncIterable<readonly unknown[]>,
  writer: ListWriter,
  stream: OutputStream,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  try {
    for await (const items of writer.minBatchSize === undefined ? pages : batchPages(pages, writer.minBatchSize)) {
      if (items.length === 0) continue;
      count += items.length;
      if (!(await writeWithBackpressure(stream, await writer.page(items), signal))) return count;
    }
  } catch (error) {
    if (count > 0 && writer.incomplete !== undefined) await writeWithBackpressure(stream, writer.incomplete, signal);
    throw error;
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

/** Writes and waits for drain; false if the reader has closed the stream. */
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
  // A broken pipe emits error and close in either order; neither is an error here.
  const events = ['drain', 'close', 'error'].map((event) => once(stream, event, options).catch(() => undefined));
  await Promise.race(events);
  over.abort();
}
