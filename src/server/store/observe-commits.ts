/** The store of one request that records what it changed. */
import { overrideTable, overrideTransaction } from './overrides.ts';
import type { Store, TableWriter, Transaction } from './store.ts';
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
  return overrideTransaction(store, transaction);
}

/** Of any table: their rows are treated alike. */
type AnyTable = TableWriter<'users'>;

class ChangeRecorder {
  readonly #rows = new Map<string, RowWrite>();
  #isIncomplete = false;

  changes(): CommittedChanges {
    const written = [...this.#rows.values()].filter(({ before, after }) => before !== undefined || after !== undefined);
    return { rows: written, isIncomplete: this.#isIncomplete };
  }

  observe(tx: Transaction, tables: ReadonlySet<TableName>): Transaction {
    return createTablesOnAccess((name) =>
      tables.has(name) ? observeTable(tx[name] as AnyTable, findShape(name) as TableShape, this) : tx[name],
    );
  }

  isRecorded(table: TableName, key: string): boolean {
    return this.#rows.size < maxRows || this.#rows.has(`${table} ${key}`);
  }

  add(change: RowWrite): void {
    const { table, key } = change;
    if (!this.isRecorded(table, key)) {
      this.#isIncomplete = true;
      return;
    }
    const { before } = this.#rows.get(`${table} ${key}`) ?? change;
    this.#rows.set(`${table} ${key}`, { ...change, before });
  }
}

function observeTable(table: AnyTable, { name, key: keyOf }: TableShape, recorder: ChangeRecorder): AnyTable {
  async function write<Result>(key: string, after: StoredRow | undefined, run: () => Promise<Result>): Promise<Result> {
    const before = recorder.isRecorded(name, key) ? await table.get(key) : undefined;
    const result = await run();
    recorder.add({ table: name, key, before, after });
    return result;
  }

  return overrideTable(table, {
    async insert(row) {
      await table.insert(row);
      recorder.add({ table: name, key: keyOf(row), after: row });
    },
    replace: (row) => write(keyOf(row), row, () => table.replace(row)),
    delete: (key) => write(key, undefined, () => table.delete(key)),
  });
}
