/** The store of one request that records what it changed. */
import { overrideWrites, type Store, type TableWriter, type Transaction } from './store.ts';
import { findShape, type StoredRow, type TableShape } from './table-shape.ts';
import type { TableName } from './tables.ts';
import { createTablesOnAccess } from './tables-on-access.ts';

/** A row before and after a transaction; one of them is missing for a row that was inserted or deleted. */
export interface RowWrite {
  readonly table: TableName;
  readonly key: string;
  readonly before?: StoredRow | undefined;
  readonly after?: StoredRow | undefined;
}

export interface CommittedChanges {
  readonly rows: readonly RowWrite[];
  /** Whether the transaction changed more rows than are recorded. */
  readonly isIncomplete: boolean;
}

/** Max recorded rows of a transaction. */
const maxRows = 50;

/**
 * Calls `onCommit` after each transaction: a later failure of the request must not be reported as one that changed nothing.
 * @param tables the tables whose changes are recorded
 */
export function observeCommits(
  store: Store,
  tables: ReadonlySet<TableName>,
  onCommit: (changes: CommittedChanges) => void,
): Store {
  const transaction: Store['transaction'] = async (work) => {
    let recorder = new ChangeRecorder();
    const result = await store.transaction((tx) => {
      // The engine may run the work again.
      recorder = new ChangeRecorder();
      return work(recorder.observe(tx, tables));
    });
    onCommit(recorder.changes());
    return result;
  };
  return Object.assign(Object.create(store) as Store, { transaction });
}

/** Engines treat the rows of all tables alike, so the row types are erased here. */
type AnyTable = TableWriter<'users'>;
type AnyRow = Parameters<AnyTable['insert']>[0];

class ChangeRecorder {
  readonly #rows = new Map<string, RowWrite>();
  #isIncomplete = false;

  changes(): CommittedChanges {
    return {
      rows: [...this.#rows.values()].filter(({ before, after }) => before !== undefined || after !== undefined),
      isIncomplete: this.#isIncomplete,
    };
  }

  observe(tx: Transaction, tables: ReadonlySet<TableName>): Transaction {
    const observed = new Map<TableName, AnyTable>();
    return createTablesOnAccess((name) => {
      if (!tables.has(name)) return tx[name];
      const table = observed.get(name) ?? this.#observeTable(findShape(name) as TableShape, tx[name] as AnyTable);
      observed.set(name, table);
      return table;
    });
  }

  #observeTable({ name, key: keyOf }: TableShape, table: AnyTable): AnyTable {
    const write = async <Result>(key: string, after: StoredRow | undefined, run: () => Promise<Result>) => {
      const before = this.#isRecorded(name, key) ? await table.get(key) : undefined;
      const result = await run();
      this.#add({ table: name, key, before, after });
      return result;
    };
    return overrideWrites(table, {
      insert: async (row: AnyRow) => {
        await table.insert(row);
        this.#add({ table: name, key: keyOf(row), after: row });
      },
      replace: (row: AnyRow) => write(keyOf(row), row, () => table.replace(row)),
      delete: (key) => write(key, undefined, () => table.delete(key)),
    });
  }

  #isRecorded(table: TableName, key: string): boolean {
    return this.#rows.size < maxRows || this.#rows.has(`${table} ${key}`);
  }

  #add(change: RowWrite): void {
    const { table, key } = change;
    if (!this.#isRecorded(table, key)) {
      this.#isIncomplete = true;
      return;
    }
    const { before } = this.#rows.get(`${table} ${key}`) ?? change;
    this.#rows.set(`${table} ${key}`, { ...change, before });
  }
}
