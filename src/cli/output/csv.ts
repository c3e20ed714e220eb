/** Formats rows as CSV (RFC 4180), line by line. Pure. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { valueAt } from './columns.ts';
import { type CellOptions, encodeCell } from './csv-cell.ts';

/** Lists the columns: those of the schema, then additional ones of the first row. */
export function listCsvColumns(first: unknown, schema: JsonSchema | undefined): string[] {
  const own = typeof first === 'object' && first !== null ? Object.keys(first) : [];
  return [...new Set([...Object.keys(schema?.properties ?? {}), ...own])];
}

/** Formats the header line with the JSON names of the columns. */
export function formatCsvHeader(columns: readonly string[], options?: CellOptions): string {
  return columns.map((column) => quoteCell(encodeCell(column, options))).join(',');
}

/** Formats one row. Lists of plain values or of single-field objects are joined with semicolons; other nested values are JSON. */
export function formatCsvLine(row: unknown, columns: readonly string[], options?: CellOptions): string {
  if (typeof row !== 'object' || row === null) return quoteCell(formatValue(row, options));
  return columns.map((column) => quoteCell(formatValue(valueAt(row, column), options))).join(',');
}

function formatValue(value: unknown, options: CellOptions | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return encodeCell(String(value), options);
  const entries = Array.isArray(value) && value.every(isPlain) ? value.map(plainText) : undefined;
  // Encoded one by one: with semicolons as separators each entry is a cell.
  if (entries?.every(canBeJoined)) return entries.map((entry) => encodeCell(entry, options)).join(';');
  return encodeCell(JSON.stringify(value), options);
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const values = Object.values(value);
  return values.length === 1 && typeof values[0] !== 'object';
}

function plainText(value: unknown): string {
  return String(typeof value === 'object' && value !== null ? Object.values(value)[0] : value);
}

/** Readers split the cell at semicolons, trim the parts, and parse a bracket or brace as JSON. */
function canBeJoined(entry: string): boolean {
  return entry !== '' && !/;|^[[{]/.test(entry) && entry.trim() === entry;
}

function quoteCell(value: string): string {
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
