/** The engine that keeps everything in memory and nothing on disk: for tests and sandboxes. */
import { Overlay, tableNames } from './overlay.ts';
import { OverlayStore, type Sink } from './overlay-store.ts';
import type { Store } from './store.ts';

/** Opens a store that is empty and is forgotten with its last reference. */
export function openMemoryStore(): ForkableStore {
  return toForkable(new OverlayStore(new Overlay('base'), noopSink));
}

/** A store that others can begin from. */
export interface ForkableStore extends Store {
  /** A store of its own that begins with what is in this one now. Costs nothing, however much that is. */
  fork(): Promise<ForkableStore>;
}

/** A store that begins with all rows of another one, of whatever engine; those are read, and shared with nobody. */
export async function copyStore(store: Store): Promise<ForkableStore> {
  const base = new Overlay('base');
  await store.transaction(async (tx) => {
    for (const name of tableNames) base.load(name, await tx[name].list());
  });
  return toForkable(new OverlayStore(base, noopSink));
}

function toForkable(overlayStore: OverlayStore): ForkableStore {
  return {
    ...toStore(overlayStore),
    async fork() {
      // After what is under way, and never between two commits of one batch.
      await overlayStore.transaction(async () => undefined);
      return toForkable(new OverlayStore(overlayStore.share(), noopSink));
    },
  };
}

/**
 * A store that begins with the rows of a layer. It shares the layer with others and never changes it: nobody may.
 */
export function openFork(base: Overlay): Store {
  return toStore(new OverlayStore([base], noopSink));
}

/** A layered store as callers get it. */
export function toStore(overlayStore: OverlayStore): Store {
  return {
    ...overlayStore.reader,
    transaction: (work) => overlayStore.transaction(work),
    dump: () => overlayStore.dump(),
    health: () => overlayStore.health(),
    close: () => overlayStore.close(),
  };
}

/** There is no disk that could fail: what is committed is as durable as it will ever be. */
const noopSink: Sink = {
  gather: async () => {},
  append: async () => {},
  health: () => ({ writable: true }),
  sequence: 0,
};
