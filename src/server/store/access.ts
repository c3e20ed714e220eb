/** The tables as callers see them: readers over a chain of layers, and writers into the topmost layer of one. */
import { indexValues, type StoredRow, type TableLayer, tableNames } from './layer.ts';
import { DuplicateError, MissingRowError, type Range, type Reader, type Transaction } from './store.ts';
import type { TableName } from './tables.ts';
import { type Chain, countRows, readAll, readMatches, readRow, readUnique } from './view.ts';

/** Gives the chain of one table as it is at this moment; throws where reading is no longer allowed. */
export type ChainOf = (name: TableName) => Chain;

/** Gives the layer that takes the writes to one table. */
export type TopOf = (name: TableName) => TableLayer;

/** Readers of all tables. */
export function createReader(chainOf: ChainOf): Reader {
  return eachTable((name) => tableReader(name, chainOf)) as unknown as Reader;
}

/** Readers of all tables that write as well. */
export function createTransaction(chainOf: ChainOf, topOf: TopOf): Transaction {
  return eachTable((name) => ({
    ...tableReader(name, chainOf),
    ...tableWriter(name, chainOf, topOf),
  })) as unknown as Transaction;
}

function eachTable<Access>(make: (name: TableName) => Access): Record<string, Access> {
  return Object.fromEntries(tableNames.map((name) => [name, make(name)]));
}

function tableReader(name: TableName, chainOf: ChainOf) {
  return {
    get: async (key: string) => readRow(chainOf(name), key),
    getBy: async (unique: string, value: string) => readUnique(chainOf(name), unique, value),
    find: async (index: string, value: string, range: Range = {}) => readMatches(chainOf(name), index, value, range),
    list: async (range: Range = {}) => readAll(chainOf(name), range),
    count: async () => countRows(chainOf(name)),
  };
}

function tableWriter(name: TableName, chainOf: ChainOf, topOf: TopOf) {
  return {
    insert: async (row: StoredRow) => insert(chainOf(name), topOf(name), row),
    replace: async (row: StoredRow) => replace(chainOf(name), topOf(name), row),
    delete: async (key: string) => remove(chainOf(name), topOf(name), key),
  };
}

function insert(chain: Chain, top: TableLayer, given: StoredRow): void {
  const row = top.shape.schema.parse(given);
  const key = top.shape.key(row);
  if (readRow(chain, key) !== undefined) throw new DuplicateError(top.shape.name, 'key');
  assertUnique(chain, top, key, row);
  top.put(key, row);
}

function replace(chain: Chain, top: TableLayer, given: StoredRow): void {
  const row = top.shape.schema.parse(given);
  const key = top.shape.key(row);
  if (readRow(chain, key) === undefined) throw new MissingRowError(top.shape.name);
  assertUnique(chain, top, key, row);
  top.put(key, row);
}

function remove(chain: Chain, top: TableLayer, key: string): boolean {
  if (readRow(chain, key) === undefined) return false;
  top.remove(key);
  return true;
}

/** A row may keep the values it has; it may not take those of another one. */
function assertUnique(chain: Chain, { shape }: TableLayer, key: string, row: StoredRow): void {
  for (const [unique, values] of shape.unique) {
    for (const value of indexValues(values, row)) {
      const holder = readUnique(chain, unique, value);
      if (holder !== undefined && shape.key(holder) !== key) throw new DuplicateError(shape.name, unique);
    }
  }
}
