/**
 * How the tables are stored in PostgreSQL: one table per kind of row with its key and document, a column for each index
 * with one value per row, and a table of its own for each index with several.
 */
import { createHash } from 'node:crypto';
import { findShape, type StoredRow, type TableShape, tableNames } from '../table-shape.ts';
import type { TableName, tables } from '../tables.ts';

type IndexesOf<Name extends TableName> = (typeof tables)[Name]['unique'] & (typeof tables)[Name]['index'];

/** The indexes whose functions return several values. */
type MultiValued<Name extends TableName> = {
  [Index in keyof IndexesOf<Name>]: IndexesOf<Name>[Index] extends (row: never) => string | undefined ? never : Index;
}[keyof IndexesOf<Name>];

/** The functions say it only in their types; the compiler compares both. */
const multiValued: {
  readonly [Name in TableName as [MultiValued<Name>] extends [never] ? never : Name]: Readonly<
    Record<MultiValued<Name>, true>
  >;
} = {
  apiKeys: { keyHash: true },
  groups: { role: true, dependency: true },
  users: { login: true, legacyLogon: true, visibleLogin: true },
  corporateGroups: { business: true },
  products: { billingType: true },
};

/**
 * The indexes whose rows are those with a key that begins with the value and a slash. The primary key finds them: an index
 * of their own would make inserts slower, of which a group has 100,000.
 */
const keyPrefixes: { readonly [Name in TableName]?: Partial<Record<keyof IndexesOf<Name>, true>> } = {
  memberships: { group: true, memberList: true },
};

/** An index as a column of the table, or as a table of its own (`<table>_<index>`) with the columns value and key. */
export interface StoredIndex {
  readonly name: string;
  readonly isUnique: boolean;
  /** The column, or the name of the table of its own. */
  readonly sqlName: string;
  readonly isMultiValued: boolean;
  /** Whether the primary key finds the rows: see `keyPrefixes`. */
  readonly isKeyPrefix: boolean;
  /** The text of a value in the column. */
  readonly toText: (value: string) => string;
  readonly values: (row: StoredRow) => readonly string[];
}

/** A table as PostgreSQL sees it. */
export interface StoredTable {
  readonly shape: TableShape;
  readonly sqlName: string;
  readonly columns: readonly StoredIndex[];
  readonly valueTables: readonly StoredIndex[];
  readonly indexes: ReadonlyMap<string, StoredIndex>;
}

/** All tables with rows, in the order of their declaration. */
export function storedTables(): readonly StoredTable[] {
  return tableNames.flatMap((name) => {
    const shape = findShape(name);
    return shape ? [describeStoredTable(shape)] : [];
  });
}

function describeStoredTable(shape: TableShape): StoredTable {
  const sqlName = toSnakeCase(shape.name);
  const several: Readonly<Record<string, true>> =
    (multiValued as Record<string, Record<string, true>>)[shape.name] ?? {};
  const prefixes: Readonly<Record<string, true>> = keyPrefixes[shape.name] ?? {};
  const describe =
    (isUnique: boolean) =>
    ([name, values]: TableShape['index'][number]): StoredIndex => {
      const isMultiValued = Object.hasOwn(several, name);
      const isKeyPrefix = Object.hasOwn(prefixes, name);
      const toText = isKeyPrefix ? (value: string) => value : toIndexText;
      const indexName = isMultiValued ? `${sqlName}_${toSnakeCase(name)}` : toSnakeCase(name);
      return {
        name,
        isUnique,
        isMultiValued,
        isKeyPrefix,
        sqlName: indexName,
        toText,
        values: (row) => {
          const value = values(row);
          return typeof value === 'string' ? [toText(value)] : distinct((value ?? []).map(toText));
        },
      };
    };
  const all = [...shape.unique.map(describe(true)), ...shape.index.map(describe(false))];
  return {
    shape,
    sqlName,
    columns: all.filter(({ isMultiValued }) => !isMultiValued),
    valueTables: all.filter(({ isMultiValued }) => isMultiValued),
    indexes: new Map(all.map((index) => [index.name, index])),
  };
}

/** Bytes. An entry of an index has at most 2,704. */
const maxIndexedBytes = 1_000;
/** No other value begins with it: such a value is replaced as well. */
const digestPrefix = '\u0001sha256 ';

/** The text of a value in an index: a digest in place of a long value. */
export function toIndexText(value: string): string {
  const isShort = value.length * 3 <= maxIndexedBytes || Buffer.byteLength(value) <= maxIndexedBytes;
  if (isShort && !value.startsWith(digestPrefix)) return value;
  return digestPrefix + createHash('sha256').update(value).digest('hex');
}

function distinct(values: readonly string[]): readonly string[] {
  return values.length < 2 ? values : [...new Set(values)];
}

/** An identifier of SQL; some names are reserved words. */
export function quoteName(name: string): string {
  return `"${name}"`;
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
