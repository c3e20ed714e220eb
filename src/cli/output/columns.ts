/** `--columns`: the fields of a row to print, in order; nested fields with dots. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { CliError, columnUnknownCode, usageError } from '../errors.ts';

/** Parses `a,b.c`. @throws CliError (exit 2) for an empty name */
export function parseColumns(text: string): string[] {
  const columns = text.split(',').map((name) => name.trim());
  if (columns.includes('')) throw usageError(`--columns ${JSON.stringify(text)} contains an empty name.`);
  return [...new Set(columns)];
}

/** The value of a column; for a list, the values of its entries. A field whose name contains the dots takes precedence. */
export function valueAt(row: unknown, column: string): unknown {
  if (Array.isArray(row)) return row.map((entry) => valueAt(entry, column)).filter((value) => value !== undefined);
  if (typeof row !== 'object' || row === null) return undefined;
  if (Object.hasOwn(row, column)) return (row as Record<string, unknown>)[column];
  const [name = '', ...rest] = column.split('.');
  if (rest.length === 0 || !Object.hasOwn(row, name)) return undefined;
  return valueAt((row as Record<string, unknown>)[name], rest.join('.'));
}

/** @throws CliError (exit 2) if the schema lacks a column; schemas without fields accept any column */
export function assertKnownColumns(columns: readonly string[], schema: JsonSchema | undefined): void {
  const row = schema?.properties ? schema : schema?.items;
  if (!row?.properties || row.additionalProperties === true) return;
  const unknownColumns = columns.filter((column) => !hasColumn(row, column.split('.')));
  if (unknownColumns.length > 0) throw usageError(...formatUnknownColumns(unknownColumns, Object.keys(row.properties)));
}

function hasColumn(schema: JsonSchema | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const kinds = [schema, ...(schema?.anyOf ?? [])];
  const declared = kinds.map((kind) => kind?.properties ?? kind?.items?.properties).find((found) => found);
  // The schema may not declare the content of a field.
  if (!declared) return true;
  return Object.hasOwn(declared, name) && hasColumn(declared[name], rest);
}

/** @throws CliError if no row has the column */
export function assertColumnsPresent(columns: readonly string[], rows: readonly unknown[]): void {
  if (rows.every(Array.isArray)) {
    assertNamedColumns(columns, rows);
    return;
  }
  const values = rows.filter((row) => row !== null && row !== undefined);
  if (values.length > 0 && values.every((row) => typeof row !== 'object'))
    throw new CliError('--columns requires named columns, but the result of --query has values only.', {
      code: columnUnknownCode,
      exitCode: 2,
      hint: 'Omit --columns, or name the columns in the query: --query "[].{name: groupName}".',
    });
  const unknownColumns = columns.filter((column) => rows.every((row) => valueAt(row, column) === undefined));
  const known = [...new Set(values.flatMap((row) => Object.keys(row as object)))];
  if (unknownColumns.length === 0 || known.length === 0) return;
  const [message, hint] = formatUnknownColumns(unknownColumns, known);
  throw new CliError(message, { code: columnUnknownCode, exitCode: 2, hint });
}

/** Rows such as those of `[].[a,b]` have no named columns, unless their entries are objects. */
function assertNamedColumns(columns: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const values = rows.flat();
  if (values.length === 0 || columns.every((column) => values.some((value) => valueAt(value, column) !== undefined)))
    return;
  throw new CliError('--columns requires named columns, but the rows of --query are lists.', {
    code: columnUnknownCode,
    exitCode: 2,
    hint: 'Name the columns in the query: --query "[].{name: groupName}".',
  });
}

function formatUnknownColumns(unknownColumns: readonly string[], known: readonly string[]): [string, string] {
  const noun = unknownColumns.length > 1 ? 'columns' : 'column';
  return [`Unknown ${noun}: ${unknownColumns.join(', ')}.`, `Available columns: ${known.join(', ')}.`];
}
