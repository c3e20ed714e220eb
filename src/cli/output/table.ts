/** Formats values for people: tables and lists of fields. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { escapeControls } from '../io/control-characters.ts';
import { valueAt } from './columns.ts';
import { formatMobile } from './mobile.ts';
import { loadTextMetrics, type TextMetrics } from './text-metrics.ts';

export type TableRow = Readonly<Record<string, unknown>>;

const columnGap = '  ';
const minColumnWidth = 3;
/** The width to which a text of a declared column is truncated, if columns of lower importance fit then. */
const minTextWidth = 16;

/** Formats a value on one line. */
export function formatCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(formatCell).join(', ');
  if (typeof value !== 'object') return escapeControls(String(value));
  const [[name, only] = [''], ...others] = Object.entries(value);
  if (name === '' || others.length > 0) return escapeControls(formatMobile(value) ?? JSON.stringify(value));
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

/** How a table of declared columns fits a terminal: ids, times and other values that a reader copies are not truncated. */
export interface FitRules {
  /** Columns of texts and names, which are truncated, as are lists. */
  readonly text: readonly string[];
  /** Columns that are not left out. Others are if they do not fit, the last one first. By default the first two. */
  readonly required?: readonly string[] | undefined;
}

export interface TableOptions {
  /** The terminal width; undefined disables truncation. */
  readonly width?: number | undefined;
  /** Returns the columns of these rows, in order. */
  columnsOf(rows: readonly TableRow[]): readonly string[];
  /** Whether to print column names; true by default. */
  readonly header?: boolean;
  /** Undefined for data of unknown columns: all are truncated, except the first. */
  readonly fit?: FitRules | undefined;
}

/** Formats the next rows of a table as lines. */
export type TableFormatter = (rows: readonly TableRow[]) => Promise<string[]>;

/**
 * Creates a formatter for batches of rows. Later batches keep the columns and at least the widths of earlier ones. If
 * they fill a new column, or one no longer fits, the header is repeated.
 */
export function createTableFormatter({ header = true, ...rules }: TableOptions): TableFormatter {
  let columns: readonly string[] = [];
  let widths: readonly number[] = [];
  let headed: readonly string[] = [];
  const lists = new Set<string>();
  return async (rows) => {
    columns = [...columns, ...rules.columnsOf(rows).filter((column) => !columns.includes(column))];
    const values = rows.map((row) => columns.map((column) => valueAt(row, column)));
    for (const [at, column] of columns.entries())
      if (values.some((row) => typeof row[at] === 'object' && row[at] !== null)) lists.add(column);
    const headings = header ? columns.map((column) => toWords(column).toUpperCase()) : [];
    const texts = values.map((row) => row.map(formatCell));
    const metrics = await loadTextMetrics([...headings, ...texts.flat()]);
    widths = columns.map((_, at) =>
      [headings, ...texts].reduce((most, line) => Math.max(most, metrics.width(line[at] ?? '')), widths[at] ?? 0),
    );
    const measured = columns.map((name, at) => ({ name, at, width: widths[at] ?? 0, heading: headings[at] ?? '' }));
    const fitted = rules.width === undefined ? measured : fitColumns(measured, rules.width, rules.fit, lists);
    const format = (line: readonly string[]) => formatLine(line, fitted, metrics);
    const isHeaded = fitted.length === headed.length && fitted.every(({ name }, at) => name === headed[at]);
    headed = fitted.map(({ name }) => name);
    return [...(header && !isHeaded ? [headings] : []), ...texts].map(format);
  };
}

interface Column {
  readonly name: string;
  readonly at: number;
  readonly width: number;
  readonly heading: string;
}

function formatLine(texts: readonly string[], columns: readonly Column[], metrics: TextMetrics): string {
  return columns
    .map(({ at, width }) => pad(truncate(texts[at] ?? '', width, metrics), width, metrics))
    .join(columnGap)
    .trimEnd();
}

/** The columns that fit: without the last ones that are not required, and with truncated texts. */
function fitColumns(
  columns: readonly Column[],
  width: number,
  fit: FitRules | undefined,
  lists: ReadonlySet<string>,
): readonly Column[] {
  if (fit === undefined) return shrinkColumns(columns, width, ({ at }) => (at === 0 ? undefined : minColumnWidth));
  const required = fit.required ?? columns.slice(0, 2).map(({ name }) => name);
  const isText = ({ name }: Column) => lists.has(name) || fit.text.includes(name);
  // A name that is required is truncated only if nothing is left to leave out.
  const least = (column: Column) => {
    const isWhole = !isText(column) || (required.includes(column.name) && !lists.has(column.name));
    return isWhole ? column.width : Math.min(column.width, Math.max(minTextWidth, column.heading.length));
  };
  const minWidth = (column: Column) =>
    isText(column)
      ? Math.max(minColumnWidth, column.heading.length, required.includes(column.name) ? 0 : least(column))
      : undefined;
  const kept = [...columns];
  for (let last = kept.length - 1; last > 0 && sumWidths(kept.map(least)) > width; last -= 1)
    if (!required.includes(kept[last]?.name ?? '')) kept.splice(last, 1);
  return shrinkColumns(kept, width, minWidth);
}

/** Shrinks the widest column until all fit or none can shrink. `minWidth`: undefined for a column that is not truncated. */
function shrinkColumns(
  columns: readonly Column[],
  width: number,
  minWidth: (column: Column) => number | undefined,
): readonly Column[] {
  const fitted = columns.map((column) => ({ ...column, min: minWidth(column) ?? column.width }));
  for (let over = sumWidths(fitted.map((one) => one.width)) - width; over > 0; over -= 1) {
    const [widest] = fitted.filter((one) => one.width > one.min).sort((a, b) => b.width - a.width);
    if (!widest) break;
    widest.width -= 1;
  }
  return fitted;
}

function sumWidths(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + columnGap.length * (widths.length - 1);
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
    if (!isObject || Object.keys(value).length === 1 || formatMobile(value) !== undefined)
      return [[toWords(name), formatCell(value)] as const];
    return flattenFields(value as TableRow).map(([below, text]) => [`${toWords(name)} ${below}`, text] as const);
  });
}

/** Wraps a line at words. Further lines are indented like the first one, and like its text after a mark. */
export function wrapLine(line: string, width?: number): Promise<string> {
  const [indent = ''] = /^ *(?:[!~+-] )?/.exec(line) ?? [];
  return hangingIndent(indent, line.slice(indent.length), width);
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
