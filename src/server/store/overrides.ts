/**
 * Stores and tables of one request or transaction, with functions in place of some of the engine's. None inherits from an
 * object of the request: V8 gives what is inherited from a hidden class of its own in old space, and that keeps the whole
 * request until the next full collection.
 */
import type { Store, TableWriter, Transaction } from './store.ts';
import type { TableName } from './tables.ts';
import { createTablesOnAccess } from './tables-on-access.ts';

const engine = Symbol('engine');

/** Returns the store with another `transaction`, which can call that of the given one. */
export function overrideTransaction(
  store: Store & { readonly [engine]?: Store },
  transaction: Store['transaction'],
): Store {
  const base = store[engine] ?? store;
  return Object.assign(Object.create(base) as Store, { [engine]: base, transaction });
}

/** What takes the place of tables, as a function of each table. */
export type TableOverrides = { readonly [Name in TableName]?: (table: TableWriter<Name>) => TableWriter<Name> };

/** Returns a transaction with other tables in place of some of its own. Each is made when it is first used: most are not. */
export function overrideTables(tx: Transaction, overrides: TableOverrides): Transaction {
  const made: Partial<Record<TableName, unknown>> = {};
  return createTablesOnAccess((name) => {
    const override = overrides[name] as ((table: unknown) => unknown) | undefined;
    if (override === undefined) return tx[name];
    made[name] ??= override(tx[name]);
    return made[name];
  });
}

/** Returns a table with other functions in place of some of its own. */
export function overrideTable<Name extends TableName>(
  table: TableWriter<Name>,
  functions: Partial<TableWriter<Name>>,
): TableWriter<Name> {
  return Object.assign(new PassingTable(table as unknown as AnyTable) as unknown as TableWriter<Name>, functions);
}

/** Engines treat the rows of all tables alike, so the row types are erased here. */
type AnyTable = TableWriter<'users'>;

const passedOn = {
  ...{ get: 0, getMany: 0, getLinked: 0, getBy: 0, find: 0, findMany: 0, findInOrder: 0, reach: 0, findReaching: 0 },
  ...{ list: 0, count: 0, countBy: 0, rowCache: 0, tableCache: 0, isTaken: 0 },
  ...{ insert: 0, replace: 0, delete: 0, replaceAll: 0 },
} satisfies Readonly<Record<keyof AnyTable, 0>>;

/** Passes all calls on to a table. */
class PassingTable {
  readonly table: AnyTable;

  constructor(table: AnyTable) {
    this.table = table;
  }

  static {
    for (const name of Object.keys(passedOn) as (keyof typeof passedOn)[])
      Object.defineProperty(PassingTable.prototype, name, {
        // `overrideTable` assigns functions of these names.
        writable: true,
        value(this: PassingTable, ...args: readonly unknown[]) {
          return (this.table[name] as (...args: readonly unknown[]) => unknown)(...args);
        },
      });
  }
}
