/**
 * Encodes and decodes CSV cells. A cell that a spreadsheet would run as a formula gets a leading apostrophe (OWASP, CSV
 * Injection); terminal control characters become escapes. Decoding reverses both. Pure.
 */
import { escapeInText, hasControls } from '../io/control-characters.ts';

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

/** Encodes a value as a cell. */
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
