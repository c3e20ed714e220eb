/** `--columns`: which fields of a row are shown, in which order; those of objects within it by dots. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { CliError, usageError } from './failures.ts';

/** Reads `a,b.c`. */
export function readColumns(text: string): string[] {
  const columns = text.split(',').map((name) => name.trim());
  if (columns.includes('')) throw usageError(`--columns ${JSON.stringify(text)} names an empty column.`);
  return [...new Set(columns)];
}

/** The value of a column; of a list, that of each of its entries. A field that is there by its whole name goes first. */
export function valueAt(row: unknown, column: string): unknown {
  if (Array.isArray(row)) return row.map((entry) => valueAt(entry, column)).filter((value) => value !== undefined);
  if (typeof row !== 'object' || row === null) return undefined;
  if (Object.hasOwn(row, column)) return (row as Record<string, unknown>)[column];
  const [name = '', ...rest] = column.split('.');
  if (rest.length === 0 || !Object.hasOwn(row, name)) return undefined;
  return valueAt((row as Record<string, unknown>)[name], rest.join('.'));
}

/** @throws CliError for wrong usage where rows of this kind have no such column; a schema without fields says nothing */
export function requireColumns(columns: readonly string[], schema: JsonSchema | undefined): void {
  const row = schema?.properties ? schema : schema?.items;
  if (!row?.properties || row.additionalProperties === true) return;
  const strange = columns.filter((column) => !isIn(row, column.split('.')));
  if (strange.length > 0) throw usageError(...unknown(strange, Object.keys(row.properties)));
}

function isIn(schema: JsonSchema | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const kinds = [schema, ...(schema?.anyOf ?? [])];
  const declared = kinds.map((kind) => kind?.properties ?? kind?.items?.properties).find((found) => found);
  // What a field holds may not be said.
  if (!declared) return true;
  return Object.hasOwn(declared, name) && isIn(declared[name], rest);
}

/** @throws CliError where none of the rows that are there has such a column */
export function foundColumns(columns: readonly string[], rows: readonly unknown[]): void {
  const strange = columns.filter((column) => rows.every((row) => valueAt(row, column) === undefined));
  const known = [...new Set(rows.flatMap((row) => Object.keys((row ?? {}) as object)))];
  if (strange.length === 0 || known.length === 0) return;
  const [message, fix] = unknown(strange, known);
  throw new CliError(message, { code: 'COLUMN_UNKNOWN', exitCode: 1, fix });
}

function unknown(strange: readonly string[], known: readonly string[]): [string, string] {
  const columns = strange.length > 1 ? 'are no columns' : 'is no column';
  return [`${strange.join(', ')} ${columns} of this.`, `There are ${known.join(', ')}.`];
}
