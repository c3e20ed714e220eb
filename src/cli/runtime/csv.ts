/** Rows as CSV (RFC 4180), a line at a time. Pure. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { valueAt } from './columns.ts';
import { type CellOptions, encodeCell } from './csv-cell.ts';

/** All columns that rows of this kind can have: those of the schema, and what the first row has besides. */
export function listCsvColumns(first: unknown, schema: JsonSchema | undefined): string[] {
  const own = typeof first === 'object' && first !== null ? Object.keys(first) : [];
  return [...new Set([...Object.keys(schema?.properties ?? {}), ...own])];
}

/** The names of the columns, as they stand in JSON. */
export function formatCsvHeader(columns: readonly string[], options?: CellOptions): string {
  return columns.map((column) => quoteCell(encodeCell(column, options))).join(',');
}

/** One row. Lists of plain values, or of objects with one field, are joined by semicolons; all else that nests is JSON. */
export function formatCsvLine(row: unknown, columns: readonly string[], options?: CellOptions): string {
  if (typeof row !== 'object' || row === null) return quoteCell(formatValue(row, options));
  return columns.map((column) => quoteCell(formatValue(valueAt(row, column), options))).join(',');
}

function formatValue(value: unknown, options: CellOptions | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return encodeCell(String(value), options);
  const entries = Array.isArray(value) && value.every(isPlain) ? value.map(plainText) : undefined;
  // Each entry for itself: where semicolons part cells, each is a cell.
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

/** A reader parts the cell at semicolons, trims what it finds, and takes a bracket or a brace for JSON. */
function canBeJoined(entry: string): boolean {
  return entry !== '' && !/;|^[[{]/.test(entry) && entry.trim() === entry;
}

function quoteCell(value: string): string {
  return /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
