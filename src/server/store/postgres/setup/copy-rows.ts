/** Writes all rows of a store into empty tables, and reads them, in one transaction. */
import type { PoolClient } from 'pg';
import type { Random } from '../../../lib/random.ts';
import { StoreOpenError } from '../../open-error.ts';
import type { StoredRow } from '../../table-shape.ts';
import { selectAllTables, type TableRows } from '../all-rows.ts';
import { type CommitDeps, commit, commitReads } from '../commit.ts';
import type { PrimaryConnections } from '../primary-connections.ts';
import { createStatements, type Statement } from '../statements.ts';
import { type StoredTable, storedTables } from '../table-columns.ts';
import { copyMark } from './migrate.ts';

const rowsPerStatement = 1_000;

/** Milliseconds. The comparison of many rows keeps the transaction idle. */
const idleTimeout = 10 * 60_000;

/**
 * Inserts all rows, and commits if `check` accepts what the database returns for them.
 * @throws StoreOpenError if the tables contain rows; the error of `check`
 */
export async function writeDatabaseRows(
  rows: TableRows,
  deps: CommitDeps & { readonly random: Random },
  check: (written: TableRows) => void,
): Promise<void> {
  const { connections, random } = deps;
  const begin = `begin isolation level repeatable read; set local idle_in_transaction_session_timeout = ${idleTimeout}`;
  const end = async (client: PoolClient) => {
    if (!(await commit(client, random.uuid(), deps)))
      throw new StoreOpenError('unavailable', 'The connection was lost during the commit. Run the command again.');
  };
  await inTransaction(connections, begin, markEmptyTables, end);
  const write = async (client: PoolClient) => {
    for (const table of storedTables()) await insertRows(client, table, rows.get(table.shape.name) ?? [], random);
    check(await selectAllTables(client));
    await client.query('delete from meta where name = $1', [copyMark]);
  };
  await inTransaction(connections, begin, write, end);
}

/** Until the rows are written, no server starts with the empty tables. */
async function markEmptyTables(client: PoolClient): Promise<void> {
  for (const table of storedTables()) await assertEmpty(client, table);
  await client.query("insert into meta (name, value) values ($1, '') on conflict do nothing", [copyMark]);
}

/** Returns a consistent copy of all rows. */
export function readDatabaseRows(connections: PrimaryConnections): Promise<TableRows> {
  return inTransaction(connections, 'begin isolation level repeatable read read only', selectAllTables, commitReads);
}

async function inTransaction<Result>(
  connections: PrimaryConnections,
  begin: string,
  work: (client: PoolClient) => Promise<Result>,
  /** Also returns the connection. */
  end: (client: PoolClient) => Promise<void>,
): Promise<Result> {
  const client = await connections.acquire();
  let result: Result;
  try {
    await client.query(begin);
    result = await work(client);
  } catch (error) {
    // Ends the transaction with the connection.
    client.release(true);
    throw error;
  }
  await end(client);
  return result;
}

async function assertEmpty(client: PoolClient, { sqlName, shape }: StoredTable): Promise<void> {
  const { rowCount } = await client.query(`select 1 from "${sqlName}" limit 1`);
  if (rowCount !== 0)
    throw new StoreOpenError(
      'not-ours',
      `The database already contains rows (${shape.name}). Nothing was changed. Use another schema.`,
    );
}

async function insertRows(
  client: PoolClient,
  table: StoredTable,
  rows: Iterable<StoredRow>,
  random: Random,
): Promise<void> {
  const statements = createStatements(table);
  const run = (statement: Statement, values: readonly unknown[]) => client.query({ ...statement, values: [...values] });
  for (const batch of batchesOf(rows)) {
    const keys = batch.map((row) => table.shape.key(row));
    const versions = batch.map(() => random.bytes(8).readBigInt64BE().toString());
    const columns = table.columns.map((column) => batch.map((row) => column.values(row)[0] ?? null));
    await run(statements.insertAll, [keys, versions, batch.map((row) => JSON.stringify(row)), ...columns]);
    for (const { index, insertAll } of statements.valueTables) {
      const entries = batch.flatMap((row, at) => index.values(row).map((value) => [value, keys[at]] as const));
      await run(insertAll, [entries.map(([value]) => value), entries.map(([, key]) => key)]);
    }
  }
}

function* batchesOf(rows: Iterable<StoredRow>): Generator<StoredRow[]> {
  let batch: StoredRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < rowsPerStatement) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
