/** Writes one table with SQL. */
import { precedes } from '../../lib/code-points.ts';
import { createPause } from '../../lib/event-loop-turns.ts';
import { diffSortedRows, type RowChanges } from '../row-changes.ts';
import { DuplicateError, MissingRowError } from '../store.ts';
import type { StoredRow } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import type { VersionedText } from './known-rows.ts';
import type { SeenRows } from './seen-rows.ts';
import type { RowsStatement, Statement } from './statements.ts';
import type { StoredIndex } from './table-columns.ts';
import { type Run, SqlTableReader, type TableAccess } from './table-reader.ts';

const rowsPerPage = 1_000;

/** The statements of a transaction. */
export interface TransactionRunner {
  readonly run: Run;
  /** Sends a statement that must succeed, without waiting for its result: if it fails, the transaction fails. */
  readonly send: (statement: Statement, values: readonly unknown[]) => Promise<void>;
  /**
   * The same for rows that others of their kind may join: those of one statement are sent together, before anything else
   * is sent. The order of inserts, or of deletes, among each other does not matter, nor that of replacements of other rows.
   * @param rows the parameters of each row, its key first
   */
  readonly gather: (
    kind: 'insert' | 'replace' | 'delete',
    statement: RowsStatement,
    rows: readonly (readonly unknown[])[],
  ) => Promise<void>;
  /**
   * Whether unique values are expected to be free: writes are sent without a check, and the transaction fails where one
   * exists. The same work then runs again with checks.
   */
  readonly isOptimistic: boolean;
  /** Called with each table that is written. */
  noteWrite(table: TableName): void;
  /** Called where a value was reported to be free without a look. */
  assumeFree(): void;
  /** Returns a number that no other write uses. */
  readonly newVersion: () => string;
}

export class SqlTableWriter extends SqlTableReader {
  private readonly runner: TransactionRunner;
  private readonly written: SeenRows;

  constructor(access: TableAccess, runner: TransactionRunner, seen: SeenRows) {
    super(access, runner.run, seen);
    this.runner = runner;
    this.written = seen;
  }

  /** An index that is read before an insert conflicts with all inserts beside it. */
  async isTaken(unique: string, value: string): Promise<boolean> {
    if (this.runner.isOptimistic) {
      this.runner.assumeFree();
      return false;
    }
    return (unique === 'key' ? await this.get(value) : await this.getBy(unique, value)) !== undefined;
  }

  /** The key is not read first: such a read would conflict with all inserts beside it. */
  async insert(input: StoredRow): Promise<void> {
    const { shape } = this.access.table;
    const row = shape.schema.parse(input);
    const key = shape.key(row);
    await this.change(key, () => (this.runner.isOptimistic ? this.sendInsert(key, row) : this.insertIfFree(key, row)));
  }

  async replace(input: StoredRow): Promise<void> {
    const { table, statements } = this.access;
    const row = table.shape.schema.parse(input);
    const key = table.shape.key(row);
    const before = await this.get(key);
    if (before === undefined) throw new MissingRowError(table.shape.name);
    if (!this.runner.isOptimistic)
      for (const index of table.indexes.values())
        if (index.isUnique && (await this.isTakenByOther(index, key, missingIn(index, row, before))))
          throw new DuplicateError(table.shape.name, index.name);
    await this.change(key, async () => {
      await this.runner.gather('replace', statements.replaceAll, [this.columnsOf(key, row)]);
      for (const valueTable of statements.valueTables) {
        const { index } = valueTable;
        const [removed, added] = [missingIn(index, before, row), missingIn(index, row, before)];
        if (removed.length > 0) await this.runner.send(valueTable.delete, [removed, key]);
        if (added.length > 0) await this.runner.send(valueTable.insertAll, [added, added.map(() => key)]);
      }
    });
  }

  async delete(key: string): Promise<boolean> {
    const { statements } = this.access;
    const isSeen = this.written.has(key);
    const exists = this.written.get(key) !== undefined;
    if (isSeen && !exists) return false;
    if (!isSeen) return this.change(key, async () => (await this.run(statements.delete, [key])).rowCount === 1);
    await this.deletePresent(key);
    return true;
  }

  /** Deletes a row that was read. */
  private deletePresent(key: string): Promise<void> {
    return this.change(key, () => this.runner.gather('delete', this.access.statements.deleteAll, [[key]]));
  }

  private keyOf(row: StoredRow): string {
    return this.access.table.shape.key(row);
  }

  /** Changed rows are deleted first, so that unique values can move between the rows. */
  async replaceAll(rows: readonly StoredRow[]): Promise<void> {
    const { removed, changed, added } = await this.diffInPages(rows);
    for (const row of [...removed, ...changed.map(([row]) => row)]) await this.deletePresent(this.keyOf(row));
    for (const row of [...changed.map(([, row]) => row), ...added]) await this.insert(row);
  }

  /** Reads a page, compares it, and goes on: the database ends a transaction that sends nothing for some seconds. */
  private async diffInPages(rows: readonly StoredRow[]): Promise<RowChanges> {
    const changes: RowChanges[] = [];
    let compared = 0;
    for (let after = ''; ; ) {
      const read = await this.run(this.access.statements.list, [after, rowsPerPage]);
      const page = await this.parse(read.rows as VersionedText[]);
      const last = page.length < rowsPerPage ? undefined : page.at(-1);
      if (last) after = this.keyOf(last);
      let end = last ? compared : rows.length;
      for (let row = rows[end]; last && row && !precedes(after, this.keyOf(row)); row = rows[end]) end += 1;
      changes.push(await diffSortedRows(this.access.table.shape, page, rows.slice(compared, end), createPause()));
      if (!last) return mergeChanges(changes);
      compared = end;
    }
  }

  /** Discards what was read before the write, and by others during it. */
  private async change<Result>(key: string, write: () => Promise<Result>): Promise<Result> {
    this.runner.noteWrite(this.access.table.shape.name);
    this.written.discard(key);
    try {
      return await write();
    } finally {
      this.written.discard(key);
    }
  }

  private async sendInsert(key: string, row: StoredRow): Promise<void> {
    const { statements } = this.access;
    await this.runner.gather('insert', statements.insertAll, [this.columnsOf(key, row)]);
    for (const { index, insertAll } of statements.valueTables) {
      const entries = index.values(row).map((value) => [value, key]);
      if (entries.length > 0) await this.runner.gather('insert', insertAll, entries);
    }
  }

  private async insertIfFree(key: string, row: StoredRow): Promise<void> {
    const { table, statements } = this.access;
    const { rowCount } = await this.run(statements.insert, this.columnsOf(key, row));
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

  private columnsOf(key: string, row: StoredRow): readonly unknown[] {
    const values = this.access.table.columns.map((column) => column.values(row)[0] ?? null);
    return [key, this.runner.newVersion(), JSON.stringify(row), ...values];
  }

  private async isTakenByOther(index: StoredIndex, key: string, values: readonly string[]): Promise<boolean> {
    const { findTaken } = this.statementsOf(index.name);
    if (values.length === 0 || !findTaken) return false;
    return ((await this.run(findTaken, [values, key])).rowCount ?? 0) > 0;
  }

  private async explainDuplicate(key: string, row: StoredRow): Promise<Error> {
    const { table } = this.access;
    if ((await this.get(key)) !== undefined) return new DuplicateError(table.shape.name, 'key');
    for (const index of table.columns)
      if (index.isUnique && (await this.isTakenByOther(index, key, index.values(row))))
        return new DuplicateError(table.shape.name, index.name);
    return new Error(`${table.shape.name}: the row was not inserted`);
  }
}

function mergeChanges(changes: readonly RowChanges[]): RowChanges {
  return {
    removed: changes.flatMap(({ removed }) => removed),
    changed: changes.flatMap(({ changed }) => changed),
    added: changes.flatMap(({ added }) => added),
  };
}

/** The values of the index in one row that are not in the other. */
function missingIn(index: StoredIndex, row: StoredRow, other: StoredRow): readonly string[] {
  const others = new Set(index.values(other));
  return index.values(row).filter((value) => !others.has(value));
}
