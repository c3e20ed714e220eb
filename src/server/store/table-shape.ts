/** The tables as engines see them: rows are opaque, keys and indexes are functions of a row. */
import type * as z from 'zod';
import { type TableName, tables } from './tables.ts';

/** A row as engines see it: opaque. */
export type StoredRow = Readonly<Record<string, unknown>>;

type IndexFunction = (row: StoredRow) => string | readonly string[] | undefined;

/** A table's declaration without its row type. */
export interface TableShape {
  readonly name: TableName;
  readonly schema: z.ZodType<StoredRow>;
  readonly key: (row: StoredRow) => string;
  readonly unique: readonly (readonly [name: string, values: IndexFunction])[];
  readonly index: readonly (readonly [name: string, values: IndexFunction])[];
}

export const tableNames = Object.keys(tables) as TableName[];

const shapes = new Map<string, TableShape>(tableNames.map((name) => [name, createShape(name)]));

function createShape(name: TableName): TableShape {
  // Engines treat the rows of all tables alike, so the row types are erased here.
  const { schema, key, unique, index } = tables[name] as unknown as {
    schema: TableShape['schema'];
    key: TableShape['key'];
    unique: Record<string, IndexFunction>;
    index: Record<string, IndexFunction>;
  };
  return { name, schema, key, unique: Object.entries(unique), index: Object.entries(index) };
}

/** The shape of a table; undefined for an unknown name, such as one read from a file. */
export function findShape(name: string): TableShape | undefined {
  return shapes.get(name);
}

const NO_VALUES: readonly string[] = [];

/** The values of an index function as a list. Duplicates are harmless, as indexes contain sets. */
export function indexValues(values: IndexFunction, row: StoredRow): readonly string[] {
  const value = values(row);
  if (value === undefined) return NO_VALUES;
  return typeof value === 'string' ? [value] : value;
}
