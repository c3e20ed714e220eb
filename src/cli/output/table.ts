/** Formats values for people: tables and lists of fields. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { escapeControls } from '../io/control-characters.ts';
import { valueAt } from './columns.ts';
import { loadTextMetrics, type TextMetrics } from './text-metrics.ts';

export type TableRow = Readonly<Record<string, unknown>>;

const columnGap = '  ';
const minColumnWidth = 3;

/** Formats a value on one line. */
export function formatCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(formatCell).join(', ');
  if (typeof value !== 'object') return escapeControls(String(value));
  const [[name, only] = [''], ...others] = Object.entries(value);
  if (name === '' || others.length > 0) return escapeControls(JSON.stringify(value));
  // A bare `true` is meaningless without the field name.
  return only === true ? toWords(name) : formatCell(only);
}

/** Converts `groupName` to `group name`. */
export function toWords(property: string): string {
  return escapeControls(property.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase());
}

/** The columns with a value in at least one row: in schema order, then others in order of appearance. */
export function listColumns(rows: readonly TableRow[], schema: JsonSchema | undefined): string[] {
  const found = new Set([...Object.keys(schema?.properties ?? {}), ...rows.flatMap((row) => Object.keys(row))]);
  return [...found].filter((column) => rows.some((row) => formatCell(row[column]) !== ''));
}

export interface TableOptions {
  /** The terminal width; undefined disables truncation. */
  readonly width?: number | undefined;
  /** Returns the columns of these rows, in order. */
  columnsOf(rows: readonly TableRow[]): readonly string[];
  /** Whether to print column names; true by default. */
  readonly header?: boolean;
  /** Columns that are not truncated, besides the first. */
  readonly whole?: readonly string[] | undefined;
}

/** Formats the next rows of a table as lines. */
export type TableFormatter = (rows: readonly TableRow[]) => Promise<string[]>;

/**
 * Creates a formatter for batches of rows. Later batches keep the columns and at least the widths of earlier ones. If
 * they fill a new column, the header is repeated with it.
 */
export function createTableFormatter({ header = true, ...rules }: TableOptions): TableFormatter {
  let columns: readonly string[] = [];
  let widths: readonly number[] = [];
  return async (rows) => {
    const added = rules.columnsOf(rows).filter((column) => !columns.includes(column));
    columns = [...columns, ...added];
    const heading = columns.map((column) => toWords(column).toUpperCase());
    const texts = rows.map((row) => columns.map((column) => formatCell(valueAt(row, column))));
    const lines = header && added.length > 0 ? [heading, ...texts] : texts;
    const metrics = await loadTextMetrics(lines.flat());
    widths = columns.map((_, at) =>
      lines.reduce((most, line) => Math.max(most, metrics.width(line[at] ?? '')), widths[at] ?? 0),
    );
    const isWhole = columns.map((column, at) => at === 0 || (rules.whole?.includes(column) ?? false));
    const fitted = rules.width === undefined ? widths : shrinkWidths(widths, rules.width, isWhole);
    return lines.map((line) => formatLine(line, fitted, metrics));
  };
}

function formatLine(texts: readonly string[], widths: readonly number[], metrics: TextMetrics): string {
  return texts
    .map((text, at) => pad(truncate(text, widths[at] ?? 0, metrics), widths[at] ?? 0, metrics))
    .join(columnGap)
    .trimEnd();
}

/** Shrinks the widest column until all fit or none can shrink, except those that are not truncated. */
function shrinkWidths(widths: readonly number[], width: number, isWhole: readonly boolean[]): number[] {
  const fitted = [...widths];
  let over = fitted.reduce((sum, one) => sum + one, 0) + columnGap.length * (fitted.length - 1) - width;
  for (; over > 0; over -= 1) {
    const shrinkable = fitted.map((one, at) => (isWhole[at] ? 0 : one));
    const widest = Math.max(...shrinkable);
    if (!(widest > minColumnWidth)) break;
    fitted[shrinkable.indexOf(widest)] = widest - 1;
  }
  return fitted;
}

/** Formats one entity: a line per field with a value, including nested ones. Long values wrap with a hanging indent. */
export async function formatFields(row: TableRow, width?: number): Promise<string[]> {
  const filled = flattenFields(row).filter(([, text]) => text !== '');
  const metrics = await loadTextMetrics(filled.map(([name]) => name));
  const widest = Math.max(0, ...filled.map(([name]) => metrics.width(name)));
  return Promise.all(
    filled.map(([name, text]) => hangingIndent(`${pad(name, widest, metrics)}${columnGap}`, text, width)),
  );
}

function flattenFields(row: TableRow): (readonly [name: string, text: string])[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || Object.keys(value).length === 1) return [[toWords(name), formatCell(value)] as const];
    return flattenFields(value as TableRow).map(([below, text]) => [`${toWords(name)} ${below}`, text] as const);
  });
}

/** Formats text after a heading, wrapped at words to the width; one line without a width. */
export async function hangingIndent(heading: string, text: string, width?: number): Promise<string> {
  if (width === undefined) return heading + text;
  const metrics = await loadTextMetrics([heading, text]);
  const room = width - metrics.width(heading);
  if (room < minColumnWidth || metrics.width(text) <= room) return heading + text;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && metrics.width(last) + 1 + metrics.width(word) <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return heading + lines.join(`\n${' '.repeat(metrics.width(heading))}`);
}

function pad(text: string, width: number, metrics: TextMetrics): string {
  return text + ' '.repeat(Math.max(0, width - metrics.width(text)));
}

function truncate(text: string, width: number, metrics: TextMetrics): string {
  if (metrics.width(text) <= width) return text;
  let start = '';
  let columns = 1;
  for (const character of metrics.split(text)) {
    columns += metrics.width(character);
    if (columns > width) break;
    start += character;
  }
  return `${start}…`;
}
