/** Readers and transactions over all tables. */
import { DerivedValues } from '../derived-values.ts';
import type { Reader, Transaction } from '../store.ts';
import type { TableName } from '../tables.ts';
import { createTablesOnAccess } from '../tables-on-access.ts';
import type { KnownRows } from './known-rows.ts';
import type { SeenTables } from './seen-rows.ts';
import { createStatements } from './statements.ts';
import { storedTables } from './table-columns.ts';
import { type Run, SqlTableReader, type TableAccess } from './table-reader.ts';
import { SqlTableWriter, type TransactionRunner } from './table-writer.ts';

export type TableAccesses = ReadonlyMap<TableName, TableAccess>;

/** Describes all tables, once per store. */
export function createTableAccess(known: KnownRows): TableAccesses {
  return new Map(
    storedTables().map((table) => [
      table.shape.name,
      { table, statements: createStatements(table), derived: new DerivedValues(), known },
    ]),
  );
}

/** Creates a reader that asks the database each time. */
export function createSqlReader(accesses: TableAccesses, run: Run): Reader {
  return Object.fromEntries(
    [...accesses].map(([name, access]) => [name, new SqlTableReader(access, run)]),
  ) as unknown as Reader;
}

/** Creates a reader that reads nothing twice. */
export function createCallReader(accesses: TableAccesses, run: Run, seen: SeenTables<TableName>): Reader {
  return createTablesOnAccess((name) => new SqlTableReader(accesses.get(name) as TableAccess, run, seen.of(name)));
}

export function createSqlTransaction(
  accesses: TableAccesses,
  runner: TransactionRunner,
  seen: SeenTables<TableName>,
): Transaction {
  return createTablesOnAccess((name) => new SqlTableWriter(accesses.get(name) as TableAccess, runner, seen.of(name)));
}
