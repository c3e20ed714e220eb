/**
 * Formats rows as CSV (RFC 4180), line by line, and encodes and decodes cells. A cell that a spreadsheet would run as a
 * formula gets a leading apostrophe (OWASP, CSV Injection); terminal control characters become escapes. Pure.
 */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { escapeInText } from '../../contract/visible-names.ts';
import { hasControls } from '../io/control-characters.ts';
import { valueAt } from './columns.ts';

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

export interface CellOptions {
  /** Neither adds nor removes apostrophes. */
  readonly raw?: boolean | undefined;
}

/** Spreadsheets treat full-width signs like ASCII ones. */
const formula = /^'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
/** These also start a formula at the beginning of a cell. */
const leadingBreak = /^'*[\t\n]/;
/** Other separators: a spreadsheet configured for one of them splits the cell there. */
const separators = /([;\t\n])/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const escapes = /\\u([0-9a-f]{4})/g;

export function encodeCell(value: string, { raw = false }: CellOptions = {}): string {
  // A literal escape sequence in the value must not be decoded later.
  const text = value.replace(escapes, (found, code: string) =>
    decodeEscape(code) === undefined ? found : `\\u005c${found.slice(1)}`,
  );
  const escaped = escapeInText(text);
  if (raw) return escaped;
  return mapPieces(escaped, (piece, isFormula) => (isFormula && !plainNumber.test(piece) ? `'${piece}` : piece));
}

/** Decodes a cell to its value. */
export function decodeCell(cell: string, { raw = false }: CellOptions = {}): string {
  const text = raw
    ? cell
    : mapPieces(cell, (piece, isFormula) => (isFormula && piece.startsWith("'") ? piece.slice(1) : piece));
  return text.replace(escapes, (found, code: string) => decodeEscape(code) ?? found);
}

/** Changes each piece between separators. The pieces remain formulas after an apostrophe. */
function mapPieces(text: string, change: (piece: string, isFormula: boolean) => string): string {
  const parts = text.split(separators);
  const changed = parts.map((part, at) => {
    if (at % 2 === 1) return part;
    return change(part, formula.test(part) || (at === 0 && leadingBreak.test(text)));
  });
  return changed.join('');
}

/** The character of an escape code; undefined if encoding never produces it. */
function decodeEscape(code: string): string | undefined {
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return character === '\\' || hasControls(character) ? character : undefined;
}
