/**
 * What a CSV cell means: the type of its column decides, never the look of the cell. Text stays text, and a number that
 * is written in another way than a JSON number is refused, as it may be a code such as a phone number.
 */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { parseJson } from '../../lib/json-text.ts';
import { decodeCell } from '../output/csv.ts';
import { type Field, findIntegerProblem, splitList, toListItem } from '../request/field-options.ts';

/** Decodes the text of a cell or of a list entry in it. */
export type CellReader = (text: string) => string;

/** @param raw whether cells are read unchanged @returns a reader that throws an Error with a user-facing message */
export function createCellReader(raw: boolean): CellReader {
  return (text) => decodeCell(raw ? text : assertPlain(text), { raw });
}

/** Rejects what spreadsheets and their users write so that 007 stays text. Messages contain no cell: it may be a secret. */
function assertPlain(text: string): string {
  const advice = 'write the text alone, or add --csv-raw to send the cell as it is';
  if (/^="[^"]*"$/.test(text)) throw new Error(`is a formula of a spreadsheet, such as ="007"; ${advice}`);
  if (/^'\d+$/.test(text)) throw new Error(`has an apostrophe before a number, as in a spreadsheet; ${advice}`);
  return text;
}

/** The value of a cell. Lists are separated by semicolons, as in CSV output; nested values are JSON. @throws Error */
export function convertCell(field: Field, text: string, read: CellReader): unknown {
  const { schema } = field;
  const isNested = schema.type === 'array' || schema.type === 'object';
  if (isNested && /^\s*[[{]/.test(text)) return parseJsonCell(read(text));
  if (schema.type === 'array') {
    if (Object.keys(schema.items?.properties ?? {}).length > 1)
      throw new Error('must be a list in JSON, as its entries have several fields');
    const [item = schema.items] = Object.values(schema.items?.properties ?? {});
    return splitCell(item, text, read).map((entry) => toListItem(field, entry));
  }
  const value = read(text);
  if (schema.type === 'boolean') return parseBoolean(value);
  if (schema.type === 'integer') return parseInteger(value);
  if (schema.type === 'number') return parseNumber(value);
  if (schema.type === 'object') throw new Error('must be an object in JSON');
  return field.secret ? value : assertTrimmed(value);
}

/** The entries of a cell with a list. @param item the schema of an entry @throws Error */
export function splitCell(item: JsonSchema | undefined, text: string, read: CellReader): string[] {
  const entries = splitList(assertTrimmed(text), ';');
  if (entries === undefined) throw new Error('has an empty entry before or after a semicolon; remove the semicolon');
  if (entries.length === 1 && entries[0] === 'null')
    throw new Error('is null, which is no list; leave it empty, or write ["null"] for an entry of this name');
  const values = entries.map(read);
  const { pattern = '' } = item ?? {};
  if (values.some((value) => value.includes(',') && !new RegExp(pattern, 'u').test(value)))
    throw new Error('has an entry with a comma, which is not allowed in it; separate entries with semicolons: A;B');
  return values;
}

function parseJsonCell(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Error(`is not valid JSON: ${(error as Error).message}`);
  }
}

/** Spreadsheets write TRUE and FALSE. */
function parseBoolean(text: string): boolean {
  const value = text.toLowerCase();
  if (value !== 'true' && value !== 'false') throw new Error(`must be true or false, not ${show(text)}`);
  return value === 'true';
}

function parseInteger(text: string): number {
  const problem = findIntegerProblem(text);
  if (problem !== undefined) throw new Error(`must be a whole number, not ${show(text)}: ${problem}`);
  return Number(text);
}

function parseNumber(text: string): number {
  if (!/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text))
    throw new Error(`must be a number such as 0.5, not ${show(text)}`);
  return Number(text);
}

/** @throws Error for a space or an invisible character at an end, which would become part of a name */
export function assertTrimmed(text: string): string {
  const [, start, end] = /^([\s\p{Cf}])?.*?([\s\p{Cf}])?$/su.exec(text) ?? [];
  const found = start ?? end;
  if (found === undefined) return text;
  const character = found === ' ' ? 'a space' : found === '\n' || found === '\r' ? 'a line break' : describe(found);
  throw new Error(`${start === undefined ? 'ends' : 'begins'} with ${character}; remove it`);
}

const maxShownLength = 40;

function show(text: string): string {
  return JSON.stringify(text.length > maxShownLength ? `${text.slice(0, maxShownLength)}..` : text);
}

function describe(character: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `the invisible character U+${code}`;
}
