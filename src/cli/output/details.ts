/** Formats one entity with its lists: a line per field, then a table per list. Pure. */
import { fitRulesOf, type ListShape } from './list-writer.ts';
import { createTableFormatter, formatFields, type TableRow, toWords } from './table.ts';

export interface DetailList extends Pick<ListShape, 'text'> {
  /** The property that contains the list. */
  readonly property: string;
  /** The columns of a row. */
  toRow(item: TableRow): TableRow;
  /** What a reader of the list must know, after its heading. */
  note?(entity: TableRow): string | undefined;
}

/** Formats the entity as lines. An empty list is a field with the value `none`. */
export async function formatDetails(entity: TableRow, lists: readonly DetailList[], width?: number): Promise<string[]> {
  const tables = lists.flatMap(({ property, toRow, note, text }) => {
    const items = entity[property];
    if (!Array.isArray(items) || items.length === 0) return [];
    const noted = note?.(entity);
    const heading = toWords(property) + (noted === undefined ? '' : ` (${noted})`);
    return [{ property, heading, text, rows: (items as TableRow[]).map(toRow) }];
  });
  const separate = new Set(tables.map(({ property }) => property));
  const fields = Object.entries(entity).filter(([name]) => !separate.has(name));
  const sections = await Promise.all(tables.map((table) => formatSection(table, width)));
  return [...(await formatFields(Object.fromEntries(fields.map(describeEmpty)), width)), ...sections.flat()];
}

function describeEmpty([name, value]: [string, unknown]): [string, unknown] {
  return [name, Array.isArray(value) && value.length === 0 ? 'none' : value];
}

interface DetailTable extends Pick<ListShape, 'text'> {
  readonly heading: string;
  readonly rows: readonly TableRow[];
}

async function formatSection({ heading, rows, text }: DetailTable, width?: number): Promise<string[]> {
  const [first = {}] = rows;
  const indent = '  ';
  const room = width === undefined ? undefined : width - indent.length;
  const format = createTableFormatter({
    width: room,
    fit: fitRulesOf({ text }, undefined),
    columnsOf: () => Object.keys(first),
  });
  const lines = await format(rows);
  return ['', heading, ...lines.map((line) => indent + line)];
}
