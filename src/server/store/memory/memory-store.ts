/** The in-memory engine, for tests and sandboxes. */

import type { Store } from '../store.ts';
import { type Capacity, defaultCapacity } from './capacity.ts';
import { Overlay } from './overlay.ts';
import { OverlayStore, type Sink } from './overlay-store.ts';

/** Opens an empty store. */
export function openMemoryStore(capacity = defaultCapacity): ForkableStore {
  return toForkable(new OverlayStore(new Overlay('base'), noopSink, capacity), capacity);
}

/** A store that can be forked. */
export interface ForkableStore extends Store {
  /** Creates an independent store with the current contents of this one, in constant time. */
  fork(): Promise<ForkableStore>;
}

/** Copies all rows of a store of any engine into a new in-memory store. */
export async function copyStore(store: Store): Promise<ForkableStore> {
  const base = new Overlay('base');
  for (const [name, rows] of (await store.dump()).tables) base.load(name, rows);
  return toForkable(new OverlayStore(base, noopSink), defaultCapacity);
}

function toForkable(overlayStore: OverlayStore, capacity: Capacity): ForkableStore {
  return {
    ...toStore(overlayStore),
    async fork() {
      // Waits for pending transactions, so that a fork never splits a batch.
      await overlayStore.transaction(async () => undefined);
      return toForkable(new OverlayStore(await overlayStore.share(), noopSink, capacity), capacity);
    },
  };
}

/** Opens a store on a shared base overlay, which must not change. */
export function openFork(base: Overlay, capacity = defaultCapacity): Store {
  return toStore(new OverlayStore([base], noopSink, capacity));
}

/** The public interface of an overlay store. */
export function toStore(overlayStore: OverlayStore): Store {
  return {
    ...overlayStore.reader,
    transaction: (work) => overlayStore.transaction(work),
    dump: () => overlayStore.dump(),
    health: () => overlayStore.health(),
    close: () => overlayStore.close(),
  };
}

/** The sink without a disk: commits need no flush and cannot fail. */
const noopSink: Sink = {
  gather: async () => {},
  append: async () => {},
  health: () => ({ writable: true }),
  sequence: 0,
};
