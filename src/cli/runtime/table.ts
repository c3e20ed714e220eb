/** Values as text for people: tables and lists of fields. Pure. */
import type { JsonSchema } from '../../contract/manifest-types.ts';

export type Row = Readonly<Record<string, unknown>>;

const gap = '  ';
const narrowest = 8;

/** Text of the server without what could steer a terminal or turn the direction of reading. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '');
}

/** One value on one line. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  if (typeof value !== 'object') return plain(String(value));
  const values = Object.values(value);
  return values.length === 1 ? cell(values[0]) : plain(JSON.stringify(value));
}

/** `groupName` as words: `group name`. */
export function words(property: string): string {
  return property.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
}

/** The columns that at least one row fills: in the order of the schema, then others as they come. */
export function columnsOf(rows: readonly Row[], schema: JsonSchema | undefined): string[] {
  const found = new Set([...Object.keys(schema?.properties ?? {}), ...rows.flatMap((row) => Object.keys(row))]);
  return [...found].filter((column) => rows.some((row) => cell(row[column]) !== ''));
}

/** Lines of a table, its heading first. With a width, wide columns are cut; the first one, the id, never is. */
export function tableLines(rows: readonly Row[], columns: readonly string[], width?: number): string[] {
  const texts = [
    columns.map((column) => words(column).toUpperCase()),
    ...rows.map((row) => columns.map((column) => cell(row[column]))),
  ];
  const widths = columns.map((_, at) => Math.max(...texts.map((line) => length(line[at] ?? ''))));
  const fitted = width === undefined ? widths : shrunk(widths, width);
  return texts.map((line) =>
    line
      .map((text, at) => pad(cut(text, fitted[at] ?? 0), fitted[at] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

/** Takes from the widest column until all fit, or none can give more. */
function shrunk(widths: readonly number[], width: number): number[] {
  const fitted = [...widths];
  const total = () => fitted.reduce((sum, one) => sum + one, 0) + gap.length * (fitted.length - 1);
  while (total() > width) {
    const widest = Math.max(...fitted.slice(1));
    if (!(widest > narrowest)) break;
    fitted[fitted.indexOf(widest, 1)] = widest - 1;
  }
  return fitted;
}

/** One entity: a line for each field that is filled. */
export function fieldLines(row: Row): string[] {
  const texts = Object.entries(row).map(([name, value]) => [words(name), cell(value)] as const);
  const filled = texts.filter(([, text]) => text !== '');
  const widest = Math.max(0, ...filled.map(([name]) => name.length));
  return filled.map(([name, text]) => `${name.padEnd(widest)}${gap}${text}`);
}

function length(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - length(text)));
}

function cut(text: string, width: number): string {
  return length(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`;
}
