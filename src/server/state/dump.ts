/**
 * All rows of a store at one moment. Rows never change in place, so an image holds the rows themselves and costs no more
 * than lists of them; and to bring a store to an image, only what differs is written.
 */
import { isDeepStrictEqual } from 'node:util';
import { createPause, forEachYielding } from '../for-each-yielding.ts';
import { findShape, type StoredRow, tableNames } from '../store/overlay.ts';
import type { Reader, Store, TableReader, TableWriter, Transaction } from '../store/store.ts';
import type { TableName } from '../store/tables.ts';

/** The rows of every table, ordered by primary key. */
export type DumpTables = ReadonlyMap<TableName, readonly StoredRow[]>;

/** What parts one list of rows from another. */
export interface RowChanges {
  readonly removed: readonly StoredRow[];
  readonly added: readonly StoredRow[];
  readonly changed: readonly (readonly [before: StoredRow, after: StoredRow])[];
}

const NO_ROWS: readonly StoredRow[] = [];

/** The image of a moment: what was written before is in it and durable, what comes later is not in it. */
export function dumpStore(store: Store): Promise<DumpTables> {
  return store.transaction(readTables);
}

/** The image that a transaction sees. */
export async function readTables(reader: Reader): Promise<DumpTables> {
  const dump = new Map<TableName, readonly StoredRow[]>();
  for (const name of tableNames) dump.set(name, await (reader[name] as unknown as AnyTable).list());
  return dump;
}

/**
 * Brings the tables to an image, but for those to be kept. Rows that are to change go first, so that unique values may
 * move among the rows of a table.
 * @throws DuplicateError where two rows of the image share what is unique; ZodError where one is of no good shape.
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

/** So many rows are compared in one turn of the event loop. */
const rowsPerTurn = 2_000;

/** What has to happen to one list of rows for it to become the other; both are ordered by primary key. */
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

/** Less than zero where the first comes before the second, or the second is missing. */
function compareRows(name: TableName, before: StoredRow | undefined, after: StoredRow | undefined): number {
  if (before === undefined) return 1;
  if (after === undefined) return -1;
  const [left, right] = [keyOf(name, before), keyOf(name, after)];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The primary key of a row. */
export function keyOf(name: TableName, row: StoredRow): string {
  const shape = findShape(name);
  if (!shape) throw new Error(`there is no table ${name}`);
  return shape.key(row);
}

// Images treat all rows alike, as engines do; the types of the rows of each table are of no use here.
type AnyTable = { list(): Promise<readonly StoredRow[]> } & Pick<TableReader<'users'>, 'count'>;
type AnyWriter = AnyTable & { insert(row: StoredRow): Promise<void> } & Pick<TableWriter<'users'>, 'delete'>;
