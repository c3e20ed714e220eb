/** Reading and writing tables with SQL. */
import type { QueryResult } from 'pg';
import { isStorableText } from '../../lib/storable-text.ts';
import type { Derivation } from '../derived-values.ts';
import { DerivedValues } from '../derived-values.ts';
import { DuplicateError, MissingRowError, type Range, type Reader, type Transaction } from '../store.ts';
import type { StoredRow } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import type { KnownRows, VersionedText } from './known-rows.ts';
import { createStatements, type Statement, type TableStatements } from './statements.ts';
import { type StoredIndex, type StoredTable, storedTables, toIndexText } from './table-columns.ts';

/** Runs a statement; of a transaction, or alone. */
export type Run = (statement: Statement, values: readonly unknown[]) => Promise<QueryResult>;

/** What all accesses to one table share. */
export interface TableAccess {
  readonly table: StoredTable;
  readonly statements: TableStatements;
  readonly derived: DerivedValues;
}

/** Describes all tables, once per store. */
export function createTableAccess(): ReadonlyMap<TableName, TableAccess> {
  return new Map(
    storedTables().map((table) => [
      table.shape.name,
      { table, statements: createStatements(table), derived: new DerivedValues() },
    ]),
  );
}

export function createSqlReader(accesses: ReadonlyMap<TableName, TableAccess>, known: KnownRows, run: Run): Reader {
  const entries = [...accesses].map(([name, access]) => [name, new SqlTableReader(access, known, run)]);
  return Object.fromEntries(entries) as Reader;
}

/** @param newVersion returns a number that no other write uses */
export function createSqlTransaction(
  accesses: ReadonlyMap<TableName, TableAccess>,
  known: KnownRows,
  run: Run,
  newVersion: () => string,
): Transaction {
  const entries = [...accesses].map(([name, access]) => [name, new SqlTableWriter(access, known, run, newVersion)]);
  return Object.fromEntries(entries) as Transaction;
}

/** Without #private members: callers override methods of an object that inherits from it. */
class SqlTableReader {
  protected readonly access: TableAccess;
  protected readonly run: Run;
  protected readonly known: KnownRows;

  constructor(access: TableAccess, known: KnownRows, run: Run) {
    this.access = access;
    this.known = known;
    this.run = run;
  }

  async get(key: string): Promise<StoredRow | undefined> {
    if (!isStorableText(key)) return undefined;
    return (await this.read(this.access.statements.get, [key]))[0];
  }

  async getBy(unique: string, value: string): Promise<StoredRow | undefined> {
    if (!isStorableText(value)) return undefined;
    return (await this.read(this.statementsOf(unique).getBy, [toIndexText(value)]))[0];
  }

  async find(index: string, value: string, { after = '', limit }: Range = {}): Promise<readonly StoredRow[]> {
    if (!isStorableText(value)) return [];
    return this.read(this.statementsOf(index).find, [toIndexText(value), after, limit ?? null]);
  }

  async list({ after = '', limit }: Range = {}): Promise<readonly StoredRow[]> {
    return this.read(this.access.statements.list, [after, limit ?? null]);
  }

  async count(): Promise<number> {
    const { rows } = await this.run(this.access.statements.count, []);
    return Number((rows as { count: string }[])[0]?.count);
  }

  /** Rows stay the same objects while their version is known. */
  rowCache<Value>(derivation: Derivation<Value>): WeakMap<StoredRow, Value> {
    return this.access.derived.rowCache(derivation);
  }

  /** Other processes change the table, so nothing that depends on several rows is kept. */
  tableCache(): undefined {
    return undefined;
  }

  private statementsOf(index: string) {
    const found = this.access.statements.indexes.get(index);
    if (!found) throw new Error(`${this.access.table.shape.name} has no index ${index}`);
    return found;
  }

  private async read(statement: Statement, values: readonly unknown[]): Promise<readonly StoredRow[]> {
    const { rows } = await this.run(statement, values);
    return (rows as VersionedText[]).map((row) => this.known.parse(row));
  }
}

class SqlTableWriter extends SqlTableReader {
  private readonly newVersion: () => string;

  constructor(access: TableAccess, known: KnownRows, run: Run, newVersion: () => string) {
    super(access, known, run);
    this.newVersion = newVersion;
  }

  /** The key is not read first: such a read would conflict with all inserts beside it. */
  async insert(input: StoredRow): Promise<void> {
    const { table, statements } = this.access;
    const row = table.shape.schema.parse(input);
    const key = table.shape.key(row);
    const { rowCount } = await this.run(statements.insert, this.columnsOf(row));
    if (rowCount === 0) throw await this.explainDuplicate(key, row);
    for (const { index, insert } of statements.valueTables) {
      const values = index.values(row);
      if (values.length === 0) continue;
      const inserted = await this.run(insert, [values, key]);
      if (inserted.rowCount === values.length) continue;
      await this.run(statements.delete, [key]);
      throw new DuplicateError(table.shape.name, index.name);
    }
  }

  async replace(input: StoredRow): Promise<void> {
    const { table, statements } = this.access;
    const row = table.shape.schema.parse(input);
    const key = table.shape.key(row);
    const before = await this.get(key);
    if (before === undefined) throw new MissingRowError(table.shape.name);
    for (const index of table.indexes.values())
      if (index.isUnique && (await this.isTaken(index, key, missingIn(index, row, before))))
        throw new DuplicateError(table.shape.name, index.name);
    await this.run(statements.replace, this.columnsOf(row));
    for (const valueTable of statements.valueTables) {
      const { index } = valueTable;
      const [removed, added] = [missingIn(index, before, row), missingIn(index, row, before)];
      if (removed.length > 0) await this.run(valueTable.delete, [removed, key]);
      if (added.length > 0) await this.run(valueTable.insert, [added, key]);
    }
  }

  async delete(key: string): Promise<boolean> {
    return (await this.run(this.access.statements.delete, [key])).rowCount === 1;
  }

  private columnsOf(row: StoredRow): readonly unknown[] {
    const { shape, columns } = this.access.table;
    const values = columns.map((column) => column.values(row)[0] ?? null);
    return [shape.key(row), this.newVersion(), JSON.stringify(row), ...values];
  }

  private async isTaken(index: StoredIndex, key: string, values: readonly string[]): Promise<boolean> {
    const statements = this.access.statements.indexes.get(index.name);
    if (values.length === 0 || !statements) return false;
    return ((await this.run(statements.findTaken, [values, key])).rowCount ?? 0) > 0;
  }

  private async explainDuplicate(key: string, row: StoredRow): Promise<Error> {
    const { table } = this.access;
    if ((await this.get(key)) !== undefined) return new DuplicateError(table.shape.name, 'key');
    for (const index of table.columns)
      if (index.isUnique && (await this.isTaken(index, key, index.values(row))))
        return new DuplicateError(table.shape.name, index.name);
    return new Error(`${table.shape.name}: the row was not inserted`);
  }
}

/** The values of the index in one row that are not in the other. */
function missingIn(index: StoredIndex, row: StoredRow, other: StoredRow): readonly string[] {
  const others = new Set(index.values(other));
  return index.values(row).filter((value) => !others.has(value));
}
