/** The tables of a reader or transaction, each created on access, as a call or transaction uses few of them. */
import { tableNames } from './table-shape.ts';
import type { TableName } from './tables.ts';

/** @param create is called for each access to a table */
export function createTablesOnAccess<Tables>(create: (name: TableName) => unknown): Tables {
  return new TablesOnAccess(create) as unknown as Tables;
}

/**
 * The getters are on the prototype: those of an instance would give each transaction its own hidden class, as an object
 * that inherits from it would.
 */
class TablesOnAccess {
  readonly create: (name: TableName) => unknown;

  constructor(create: (name: TableName) => unknown) {
    this.create = create;
  }

  static {
    for (const name of tableNames) {
      Object.defineProperty(TablesOnAccess.prototype, name, {
        get(this: TablesOnAccess) {
          return this.create(name);
        },
      });
    }
  }
}
