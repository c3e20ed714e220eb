/**
 * Consistent dumps of a store. Rows are immutable, so a dump refers to the rows without copying them. Restoring a dump
 * writes only the differences.
 */
import { precedes } from '../lib/code-points.ts';
import { createPause, forEachYielding } from '../lib/event-loop-turns.ts';
import { diffSortedRows, type RowChanges } from '../store/row-changes.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import { findShape, type StoredRow, type TableShape, tableNames } from '../store/table-shape.ts';
import type { Client, Row, TableName } from '../store/tables.ts';

/** The rows of every table, ordered by primary key. */
export type DumpTables = ReadonlyMap<TableName, readonly StoredRow[]>;

const NO_ROWS: readonly StoredRow[] = [];

/** Dumps a store: contains all earlier writes, which are durable, and no later ones. */
export async function dumpStore(store: Store): Promise<DumpTables> {
  const tables = new Map<TableName, readonly StoredRow[]>();
  for (const [name, rows] of (await store.dump()).tables)
    tables.set(name, Array.isArray(rows) ? (rows as readonly StoredRow[]) : await listYielding(rows));
  return tables;
}

async function listYielding(rows: Iterable<StoredRow>): Promise<readonly StoredRow[]> {
  const list: StoredRow[] = [];
  await forEachYielding(rows, async (row) => void list.push(row));
  return list;
}

/** The rows of a table in a dump. */
export function readRows<Name extends TableName>(dump: DumpTables, name: Name): readonly Row<Name>[] {
  return (dump.get(name) ?? []) as unknown as readonly Row<Name>[];
}

/** Dumps the rows that a reader sees, each table with one query. */
export async function readTables(reader: Reader): Promise<DumpTables> {
  const dump = new Map<TableName, readonly StoredRow[]>();
  for (const name of tableNames) dump.set(name, await (reader[name] as unknown as AnyTable).list());
  return dump;
}

/**
 * Replaces the contents of all tables, except the retained ones. The token generation of a client never decreases: its
 * revoked tokens stay revoked.
 * @throws DuplicateError if two rows of the dump share a unique value; ZodError if a row is not valid.
 */
export async function replaceTables(
  tx: Transaction,
  dump: DumpTables,
  retained: ReadonlySet<TableName>,
): Promise<void> {
  for (const name of tableNames) {
    if (retained.has(name)) continue;
    const rows = dump.get(name) ?? NO_ROWS;
    const restored = name === 'clients' ? await withLatestGenerations(tx, rows) : rows;
    await (tx[name] as unknown as AnyWriter).replaceAll(restored);
  }
}

/** The rows of clients, with the token generations of those present that have a later one. */
async function withLatestGenerations(tx: Transaction, rows: readonly StoredRow[]): Promise<readonly StoredRow[]> {
  const generations = new Map<unknown, number>();
  for (const { clientId, tokenGeneration } of await tx.clients.list())
    if (tokenGeneration !== undefined) generations.set(clientId, tokenGeneration);
  if (generations.size === 0) return rows;
  const restored: StoredRow[] = [];
  await forEachYielding(rows, async (row) => {
    const { clientId, tokenGeneration: before = 0 } = row as unknown as Client;
    const latest = generations.get(clientId) ?? 0;
    restored.push(latest > before ? { ...row, tokenGeneration: latest } : row);
  });
  return restored;
}

/** Rows compared per event-loop turn. */
const rowsPerTurn = 2_000;

/** The changes from one list of rows to another; both are ordered by primary key. */
export function diffRows(name: TableName, from: readonly StoredRow[], to: readonly StoredRow[]): Promise<RowChanges> {
  return diffSortedRows(shapeOf(name), from, to, createPause(rowsPerTurn));
}

export function keyOf(name: TableName, row: StoredRow): string {
  return shapeOf(name).key(row);
}

/** Finds a row by its primary key. */
export function findRow(dump: DumpTables, name: TableName, key: string): StoredRow | undefined {
  const rows = dump.get(name) ?? NO_ROWS;
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (precedes(keyOf(name, rows[middle] as StoredRow), key)) low = middle + 1;
    else high = middle;
  }
  const found = rows[low];
  return found && keyOf(name, found) === key ? found : undefined;
}

function shapeOf(name: TableName): TableShape {
  const shape = findShape(name);
  if (!shape) throw new Error(`unknown table ${name}`);
  return shape;
}

// Dumps treat the rows of all tables alike, so the row types are erased here.
type AnyTable = { list(): Promise<readonly StoredRow[]> };
type AnyWriter = { replaceAll(rows: readonly StoredRow[]): Promise<void> };
