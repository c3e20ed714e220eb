/**
 * Values as cells of CSV and back. A cell that a spreadsheet would take for a formula gets an apostrophe in front (OWASP,
 * CSV Injection); characters that could steer a terminal become escapes. Reading takes both back. Pure.
 */
import { escapeInText, hasControls } from './control-characters.ts';

export interface CellOptions {
  /** Formulas are written, and apostrophes read, as they are. */
  readonly raw?: boolean | undefined;
}

/** Full-width signs count: spreadsheets take them for the usual ones. */
const formula = /^'*(?:[\t\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;
const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const escapes = /\\u([0-9a-f]{4})/g;

/** The text of a cell. */
export function toCell(value: string, { raw = false }: CellOptions = {}): string {
  // What looks like an escape already must not be read as one.
  const text = value.replace(escapes, (found, code: string) =>
    characterOf(code) === undefined ? found : `\\u005c${found.slice(1)}`,
  );
  const escaped = escapeInText(text);
  return !raw && formula.test(escaped) && !plainNumber.test(escaped) ? `'${escaped}` : escaped;
}

/** The value that a cell stands for. */
export function fromCell(cell: string, { raw = false }: CellOptions = {}): string {
  const text = !raw && cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
  return text.replace(escapes, (found, code: string) => characterOf(code) ?? found);
}

/** What an escape of this code stands for; nothing where no cell is written with it. */
function characterOf(code: string): string | undefined {
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return character === '\\' || hasControls(character) ? character : undefined;
}
