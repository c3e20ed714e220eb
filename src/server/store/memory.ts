/** The engine that keeps everything in memory and nothing on disk: for tests and sandboxes. */
import { Layer, tableNames } from './layer.ts';
import { LayeredStore, type Sink } from './layered-store.ts';
import type { Store } from './store.ts';

/** Opens a store that is empty and is forgotten with its last reference. */
export function openMemoryStore(): ForkableStore {
  return forkable(new LayeredStore(new Layer('bottom'), nowhere));
}

/** A store that others can begin from. */
export interface ForkableStore extends Store {
  /** A store of its own that begins with what is in this one now. Costs nothing, however much that is. */
  fork(): Promise<ForkableStore>;
}

/** A store that begins with all rows of another one, of whatever engine; those are read, and shared with nobody. */
export async function copyStore(store: Store): Promise<ForkableStore> {
  const bottom = new Layer('bottom');
  await store.transaction(async (tx) => {
    for (const name of tableNames) bottom.load(name, await tx[name].list());
  });
  return forkable(new LayeredStore(bottom, nowhere));
}

function forkable(layered: LayeredStore): ForkableStore {
  return {
    ...asStore(layered),
    async fork() {
      // After what is under way, and never between two commits of one batch.
      await layered.transaction(async () => undefined);
      return forkable(new LayeredStore(layered.share(), nowhere));
    },
  };
}

/**
 * A store that begins with the rows of a layer. It shares the layer with others and never changes it: nobody may.
 */
export function openFork(base: Layer): Store {
  return asStore(new LayeredStore([base], nowhere));
}

/** A layered store as callers get it. */
export function asStore(layered: LayeredStore): Store {
  return {
    ...layered.reader,
    transaction: (work) => layered.transaction(work),
    durableImage: () => layered.durableImage(),
    health: () => layered.health(),
    close: () => layered.close(),
  };
}

/** There is no disk that could fail: what is committed is as durable as it will ever be. */
const nowhere: Sink = {
  gather: async () => {},
  append: async () => {},
  health: () => ({ writable: true }),
  sequence: 0,
};
