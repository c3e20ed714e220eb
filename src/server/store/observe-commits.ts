/** The store of one request that records what it changed. */
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
  return Object.assign(Object.create(store) as Store, { transaction });
}

/** Engines treat the rows of all tables alike, so the row types are erased here. */
type AnyTable = TableWriter<'users'>;
type AnyRow = Parameters<AnyTable['insert']>[0];

class ChangeRecorder {
  readonly #rows = new Map<string, RowWrite>();
  #isIncomplete = false;

  changes(): CommittedChanges {
    const written = [...this.#rows.values()].filter(({ before, after }) => before !== undefined || after !== undefined);
    return { rows: written, isIncomplete: this.#isIncomplete };
  }

  observe(tx: Transaction, tables: ReadonlySet<TableName>): Transaction {
    return createTablesOnAccess((name) =>
      tables.has(name) ? new ObservedTable(tx[name] as AnyTable, findShape(name) as TableShape, this) : tx[name],
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

/** What is passed on as it is. */
const delegated = {
  ...{ get: 0, getMany: 0, getLinked: 0, getBy: 0, find: 0, findMany: 0, findInOrder: 0, reach: 0, findReaching: 0 },
  ...{ list: 0, count: 0, countBy: 0, rowCache: 0, tableCache: 0, isTaken: 0, replaceAll: 0 },
} satisfies Readonly<Record<Exclude<keyof AnyTable, 'insert' | 'replace' | 'delete'>, 0>>;

/** A class: an object that inherits from each table would cost more than the write. */
class ObservedTable {
  readonly table: AnyTable;
  readonly shape: TableShape;
  readonly recorder: ChangeRecorder;

  constructor(table: AnyTable, shape: TableShape, recorder: ChangeRecorder) {
    this.table = table;
    this.shape = shape;
    this.recorder = recorder;
  }

  static {
    for (const name of Object.keys(delegated) as (keyof typeof delegated)[])
      Object.defineProperty(ObservedTable.prototype, name, {
        // Objects that inherit from it assign their own.
        writable: true,
        value(this: ObservedTable, ...args: readonly unknown[]) {
          return (this.table[name] as (...args: readonly unknown[]) => unknown)(...args);
        },
      });
  }

  async insert(row: AnyRow): Promise<void> {
    await this.table.insert(row);
    this.recorder.add({ table: this.shape.name, key: this.shape.key(row), after: row });
  }

  replace(row: AnyRow): Promise<void> {
    return this.write(this.shape.key(row), row, () => this.table.replace(row));
  }

  delete(key: string): Promise<boolean> {
    return this.write(key, undefined, () => this.table.delete(key));
  }

  private async write<Result>(key: string, after: StoredRow | undefined, run: () => Promise<Result>): Promise<Result> {
    const { name } = this.shape;
    const before = this.recorder.isRecorded(name, key) ? await this.table.get(key) : undefined;
    const result = await run();
    this.recorder.add({ table: name, key, before, after });
    return result;
  }
}
