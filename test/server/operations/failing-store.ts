/** A store that a test can make fail from the next commit on, as a database that is lost after it has confirmed a change. */
import { type Store, StoreUnavailableError, type TableReader } from '../../../src/server/store/store.ts';
import { tableNames } from '../../../src/server/store/table-shape.ts';
import type { TableName } from '../../../src/server/store/tables.ts';

export interface FailingStore {
  readonly store: Store;
  /** Everything but cached values fails after the next commit, until the returned function is called, which returns whether there was one. */
  failAfterCommit(): () => boolean;
}

export function createFailingStore(inner: Store): FailingStore {
  let armed = false;
  let failing = false;
  const assertAvailable = () => {
    if (failing) throw new StoreUnavailableError('the test lost the store after a commit');
  };
  const store: Store = {
    ...inner,
    ...Object.fromEntries(tableNames.map((name) => [name, failTable(inner[name], assertAvailable)])),
    async transaction<Result>(work: Parameters<typeof inner.transaction<Result>>[0]): Promise<Result> {
      assertAvailable();
      const result = await inner.transaction(work);
      failing = armed;
      return result;
    },
  };
  return {
    store,
    failAfterCommit() {
      armed = true;
      return () => {
        const hasCommitted = failing;
        armed = false;
        failing = false;
        return hasCommitted;
      };
    },
  };
}

function failTable<Name extends TableName>(table: TableReader<Name>, assertAvailable: () => void): TableReader<Name> {
  return new Proxy(table, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function' || name === 'rowCache' || name === 'tableCache') return value;
      return async (...parts: unknown[]) => {
        assertAvailable();
        return (value as (...parts: unknown[]) => unknown).apply(target, parts);
      };
    },
  });
}
