/** The initial state of a server, for reset and fork. */
import type { RunningServer } from '../server/listen.ts';
import { copyStore, type ForkableStore } from '../server/store/memory/memory-store.ts';
import type { Store } from '../server/store/store.ts';
import { type TableName, tables } from '../server/store/tables.ts';

export interface Baseline {
  /** Restores the initial state. */
  reset(): Promise<void>;
  /** Returns a separate in-memory store with the current data of the server. */
  fork(): Promise<ForkableStore>;
}

/** Captures the current data of the store: as a fork if the engine supports it, otherwise as a copy in memory. */
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

/** Replaces all rows in one transaction, so a failure changes nothing. */
async function overwriteStore(store: Store, rows: Store): Promise<void> {
  const names = Object.keys(tables) as TableName[];
  await store.transaction(async (tx) => {
    for (const name of names) await tx[name].replaceAll((await rows[name].list()) as never);
  });
}
