/**
 * Consistent dumps of a store. Rows are immutable, so a dump refers to the rows without copying them. Restoring a dump
 * writes only the differences.
 */
import { isDeepStrictEqual } from 'node:util';
import { createPause, forEachYielding } from '../lib/event-loop-turns.ts';
import type { Reader, Store, TableReader, TableWriter, Transaction } from '../store/store.ts';
import { findShape, type StoredRow, tableNames } from '../store/table-shape.ts';
import type { Row, TableName } from '../store/tables.ts';

/** The rows of every table, ordered by primary key. */
export type DumpTables = ReadonlyMap<TableName, readonly StoredRow[]>;

export interface RowChanges {
  readonly removed: readonly StoredRow[];
  readonly added: readonly StoredRow[];
  readonly changed: readonly (readonly [before: StoredRow, after: StoredRow])[];
}

const NO_ROWS: readonly StoredRow[] = [];

/** Dumps a store: contains all earlier writes, which are durable, and no later ones. */
export async function dumpStore(store: Store): Promise<DumpTables> {
  return (await store.dump()).tables;
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
 * Replaces the contents of all tables, except the retained ones. Changed rows are deleted first, so that unique values can
 * move between the rows of a table.
 * @throws DuplicateError if two rows of the dump share a unique value; ZodError if a row is not valid.
 */
export async function replaceTables(
  tx: Transaction,
  dump: DumpTables,
  retained: ReadonlySet<TableName>,
): Promise<void> {
  for (const name of tableNames) {
    if (retained.has(name)) continue;
    const table = tx[name] as unknown as AnyWriter;
    const { removed, added, changed } = await diffRows(name, await table.list(), dump.get(name) ?? NO_ROWS);
    const remove = async (row: StoredRow) => void (await table.delete(keyOf(name, row)));
    const insert = (row: StoredRow) => table.insert(row);
    await forEachYielding(removed, remove);
    await forEachYielding(changed, ([before]) => remove(before));
    await forEachYielding(changed, ([, after]) => insert(after));
    await forEachYielding(added, insert);
  }
}

/** Rows compared per event-loop turn. */
const rowsPerTurn = 2_000;

/** The changes from one list of rows to another; both are ordered by primary key. */
export async function diffRows(
  name: TableName,
  from: readonly StoredRow[],
  to: readonly StoredRow[],
): Promise<RowChanges> {
  const pause = createPause(rowsPerTurn);
  const changes = { removed: [] as StoredRow[], added: [] as StoredRow[], changed: [] as [StoredRow, StoredRow][] };
  let [left, right] = [0, 0];
  for (;;) {
    const pausing = pause();
    if (pausing) await pausing;
    const [before, after] = [from[left], to[right]];
    if (before === undefined && after === undefined) return changes;
    const order = before === after ? 0 : compareRows(name, before, after);
    if (order <= 0) left += 1;
    if (order >= 0) right += 1;
    if (before === after) continue;
    if (order < 0 && before !== undefined) changes.removed.push(before);
    else if (order > 0 && after !== undefined) changes.added.push(after);
    else if (before && after && !isDeepStrictEqual(before, after)) changes.changed.push([before, after]);
  }
}

/** Less than zero if the first row precedes the second, or the second is missing. */
function compareRows(name: TableName, before: StoredRow | undefined, after: StoredRow | undefined): number {
  if (before === undefined) return 1;
  if (after === undefined) return -1;
  const [left, right] = [keyOf(name, before), keyOf(name, after)];
  return left === right ? 0 : left < right ? -1 : 1;
}

export function keyOf(name: TableName, row: StoredRow): string {
  const shape = findShape(name);
  if (!shape) throw new Error(`unknown table ${name}`);
  return shape.key(row);
}

// Dumps treat the rows of all tables alike, so the row types are erased here.
type AnyTable = { list(): Promise<readonly StoredRow[]> } & Pick<TableReader<'users'>, 'count'>;
type AnyWriter = AnyTable & { insert(row: StoredRow): Promise<void> } & Pick<TableWriter<'users'>, 'delete'>;
