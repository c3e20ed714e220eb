/** The engine that keeps everything in memory and nothing on disk: for tests and sandboxes. */
import { Layer } from './layer.ts';
import { LayeredStore, type Sink } from './layered-store.ts';
import type { Store } from './store.ts';

/** Opens a store that is empty and is forgotten with its last reference. */
export function openMemoryStore(): Store {
  return asStore(new LayeredStore(new Layer('bottom'), nowhere));
}

/**
 * A store that begins with the rows of a layer. It shares the layer with others and never changes it: nobody may.
 */
export function openFork(base: Layer): Store {
  return asStore(new LayeredStore(base, nowhere, new Layer('overlay')));
}

/** A layered store as callers get it. */
export function asStore(layered: LayeredStore): Store {
  return {
    ...layered.reader,
    transaction: (work) => layered.transaction(work),
    health: () => layered.health(),
    close: () => layered.close(),
  };
}

/** There is no disk that could fail: what is committed is as durable as it will ever be. */
const nowhere: Sink = {
  gather: async () => {},
  append: async () => {},
  health: () => ({ writable: true }),
};
