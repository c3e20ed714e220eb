/** Formats one entity with its lists: a line per field, then a table per list. Pure. */
import { createTableFormatter, formatFields, type TableRow, toWords } from './table.ts';

export interface DetailList {
  /** The property that contains the list. */
  readonly property: string;
  /** The columns of a row. */
  toRow(item: TableRow): TableRow;
  /** What a reader of the list must know, after its heading. */
  note?(entity: TableRow): string | undefined;
}

/** Formats the entity as lines. An empty list is a field with the value `none`. */
export async function formatDetails(entity: TableRow, lists: readonly DetailList[], width?: number): Promise<string[]> {
  const tables = lists.flatMap(({ property, toRow, note }) => {
    const items = entity[property];
    if (!Array.isArray(items) || items.length === 0) return [];
    const noted = note?.(entity);
    const heading = toWords(property) + (noted === undefined ? '' : ` (${noted})`);
    return [{ property, heading, rows: (items as TableRow[]).map(toRow) }];
  });
  const separate = new Set(tables.map(({ property }) => property));
  const fields = Object.entries(entity).filter(([name]) => !separate.has(name));
  const sections = await Promise.all(tables.map(({ heading, rows }) => formatSection(heading, rows, width)));
  return [...(await formatFields(Object.fromEntries(fields.map(describeEmpty)), width)), ...sections.flat()];
}

function describeEmpty([name, value]: [string, unknown]): [string, unknown] {
  return [name, Array.isArray(value) && value.length === 0 ? 'none' : value];
}

async function formatSection(heading: string, rows: readonly TableRow[], width?: number): Promise<string[]> {
  const [first = {}] = rows;
  const format = createTableFormatter({ width, columnsOf: () => Object.keys(first) });
  const indent = '  ';
  const lines = await format(rows);
  return ['', heading, ...lines.map((line) => indent + line)];
}
