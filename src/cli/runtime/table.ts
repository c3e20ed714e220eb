/** Values as text for people: tables and lists of fields. Pure. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { valueAt } from './columns.ts';
import { escapeControls } from './control-characters.ts';

export type Row = Readonly<Record<string, unknown>>;

const gap = '  ';
const narrowest = 3;

/** One value on one line. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  if (typeof value !== 'object') return escapeControls(String(value));
  const [[name, only] = [''], ...others] = Object.entries(value);
  if (name === '' || others.length > 0) return escapeControls(JSON.stringify(value));
  // That something is so says nothing without its name.
  return only === true ? words(name) : cell(only);
}

/** `groupName` as words: `group name`. */
export function words(property: string): string {
  return escapeControls(property.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase());
}

/** The columns that at least one row fills: in the order of the schema, then others as they come. */
export function columnsOf(rows: readonly Row[], schema: JsonSchema | undefined): string[] {
  const found = new Set([...Object.keys(schema?.properties ?? {}), ...rows.flatMap((row) => Object.keys(row))]);
  return [...found].filter((column) => rows.some((row) => cell(row[column]) !== ''));
}

export interface TableRules {
  /** Columns of the terminal; where there is none, nothing is cut. */
  readonly width?: number | undefined;
  /** The columns of these rows, in their order. */
  columnsOf(rows: readonly Row[]): readonly string[];
}

/** Makes the lines of a table, some rows at a time. */
export type TableWriter = (rows: readonly Row[]) => string[];

/**
 * A table that grows: each further rows have the columns and at least the widths of those before. Where they fill a
 * column that none did, the heading comes again with it.
 */
export function tableWriter(rules: TableRules): TableWriter {
  let columns: readonly string[] = [];
  let widths: readonly number[] = [];
  return (rows) => {
    const added = rules.columnsOf(rows).filter((column) => !columns.includes(column));
    columns = [...columns, ...added];
    const heading = columns.map((column) => words(column).toUpperCase());
    const texts = rows.map((row) => columns.map((column) => cell(valueAt(row, column))));
    const lines = added.length > 0 ? [heading, ...texts] : texts;
    widths = columns.map((_, at) =>
      lines.reduce((most, line) => Math.max(most, length(line[at] ?? '')), widths[at] ?? 0),
    );
    const fitted = rules.width === undefined ? widths : shrunk(widths, rules.width);
    return lines.map((line) => lineOf(line, fitted));
  };
}

function lineOf(texts: readonly string[], widths: readonly number[]): string {
  return texts
    .map((text, at) => pad(cut(text, widths[at] ?? 0), widths[at] ?? 0))
    .join(gap)
    .trimEnd();
}

/** Takes from the widest column until all fit, or none can give more; the first one, the id, gives nothing. */
function shrunk(widths: readonly number[], width: number): number[] {
  const fitted = [...widths];
  let over = fitted.reduce((sum, one) => sum + one, 0) + gap.length * (fitted.length - 1) - width;
  for (; over > 0; over -= 1) {
    const widest = Math.max(...fitted.slice(1));
    if (!(widest > narrowest)) break;
    fitted[fitted.indexOf(widest, 1)] = widest - 1;
  }
  return fitted;
}

/** One entity: a line for each field that is filled, also those of objects in it. Long ones go on below themselves. */
export function fieldLines(row: Row, width?: number): string[] {
  const filled = fieldsOf(row).filter(([, text]) => text !== '');
  const widest = Math.max(0, ...filled.map(([name]) => length(name)));
  return filled.map(([name, text]) => hanging(`${pad(name, widest)}${gap}`, text, width));
}

function fieldsOf(row: Row): (readonly [name: string, text: string])[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || Object.keys(value).length === 1) return [[words(name), cell(value)] as const];
    return fieldsOf(value as Row).map(([below, text]) => [`${words(name)} ${below}`, text] as const);
  });
}

/** Text behind a heading, broken between words where it is wider than the terminal; without a width it stays one line. */
export function hanging(heading: string, text: string, width?: number): string {
  const room = (width ?? Number.POSITIVE_INFINITY) - length(heading);
  if (room < narrowest || length(text) <= room) return heading + text;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && length(last) + 1 + length(word) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return heading + lines.join(`\n${' '.repeat(length(heading))}`);
}

/** Letters of East Asia and pictures take two places. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const unusual = /[^\u0020-\u00ff]/;

/** The places that a text takes on a terminal. */
function length(text: string): number {
  return unusual.test(text) ? [...text].reduce((sum, letter) => sum + placesOf(letter), 0) : text.length;
}

function placesOf(letter: string): number {
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - length(text)));
}

function cut(text: string, width: number): string {
  if (length(text) <= width) return text;
  let kept = '';
  let places = 1;
  for (const letter of text) {
    places += placesOf(letter);
    if (places > width) break;
    kept += letter;
  }
  return `${kept}…`;
}
