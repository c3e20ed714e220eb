/** What a server began with, so that it can begin again and others can begin there. */
import type { RunningServer } from '../server/http/listen.ts';
import { copyStore, type ForkableStore } from '../server/store/memory.ts';
import type { Store } from '../server/store/store.ts';
import { type TableName, tables } from '../server/store/tables.ts';

export interface Baseline {
  /** Back to what the server began with. */
  reset(): Promise<void>;
  /** A store of its own in memory, with what is in the server's now. */
  fork(): Promise<ForkableStore>;
}

/** Keeps what is in the store now: shared where the engine can do that, else a copy in memory. */
export async function captureBaseline(service: RunningServer): Promise<Baseline> {
  const baseline = await forkStore(service.appContext.store);
  return {
    async reset() {
      const { store } = service.appContext;
      if (isForkable(store)) return service.replaceStore(await baseline.fork());
      await overwriteStore(store, baseline);
      await service.replaceStore(store);
    },
    fork: () => forkStore(service.appContext.store),
  };
}

function forkStore(store: Store): Promise<ForkableStore> {
  return isForkable(store) ? store.fork() : copyStore(store);
}

function isForkable(store: Store): store is ForkableStore {
  return 'fork' in store;
}

/** All rows at once, in one transaction: it succeeds as a whole, or nothing has changed. */
async function overwriteStore(store: Store, rows: Store): Promise<void> {
  const names = Object.keys(tables) as TableName[];
  await store.transaction(async (tx) => {
    for (const name of names) for (const row of await tx[name].list()) await tx[name].delete(primaryKeyOf(name, row));
    for (const name of names) for (const row of await rows[name].list()) await tx[name].insert(row as never);
  });
}

/** The declarations differ in their row types; a row of a table is what its key is made from. */
function primaryKeyOf(name: TableName, row: object): string {
  return tables[name].key(row as never);
}
