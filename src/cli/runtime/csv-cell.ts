/**
 * Values as cells of CSV and back. What a spreadsheet would take for a formula gets an apostrophe in front (OWASP, CSV
 * Injection); characters that could steer a terminal become escapes. Reading takes both back. Pure.
 */
import { escapeInText, hasControls } from './control-characters.ts';

export interface CellOptions {
  /** Formulas are written, and apostrophes read, as they are. */
  readonly raw?: boolean | undefined;
}

/** Full-width signs count: spreadsheets take them for the usual ones. */
const formula = /^'*\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
/** At the start of a whole cell these are as dangerous as a sign. */
const leadingBreak = /^'*[\t\n]/;
/** What parts cells where a comma does not: for a spreadsheet with other separators each piece between is a cell. */
const separators = /([;\t\n])/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const escapes = /\\u([0-9a-f]{4})/g;

/** The text of a cell. */
export function encodeCell(value: string, { raw = false }: CellOptions = {}): string {
  // What looks like an escape already must not be read as one.
  const text = value.replace(escapes, (found, code: string) =>
    decodeEscape(code) === undefined ? found : `\\u005c${found.slice(1)}`,
  );
  const escaped = escapeInText(text);
  if (raw) return escaped;
  return mapPieces(escaped, (piece, isFormula) => (isFormula && !plainNumber.test(piece) ? `'${piece}` : piece));
}

/** The value that a cell stands for. */
export function decodeCell(cell: string, { raw = false }: CellOptions = {}): string {
  const text = raw
    ? cell
    : mapPieces(cell, (piece, isFormula) => (isFormula && piece.startsWith("'") ? piece.slice(1) : piece));
  return text.replace(escapes, (found, code: string) => decodeEscape(code) ?? found);
}

/** The text with each piece between separators changed. An apostrophe in front of a formula leaves it one. */
function mapPieces(text: string, change: (piece: string, isFormula: boolean) => string): string {
  const parts = text.split(separators);
  const changed = parts.map((part, at) => {
    if (at % 2 === 1) return part;
    return change(part, formula.test(part) || (at === 0 && leadingBreak.test(text)));
  });
  return changed.join('');
}

/** What an escape of this code stands for; nothing where no cell is written with it. */
function decodeEscape(code: string): string | undefined {
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return character === '\\' || hasControls(character) ? character : undefined;
}
