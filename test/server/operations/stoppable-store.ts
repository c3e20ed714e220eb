/** A store that a test can switch to read-only, as on a full disk. */
import { type Store, StoreUnavailableError } from '../../../src/server/store/store.ts';

export interface StoppableStore {
  readonly store: Store;
  stopWrites(): void;
}

export function createStoppableStore(inner: Store): StoppableStore {
  let stopped = false;
  const store: Store = {
    ...inner,
    transaction: async (work) => {
      if (stopped) throw new StoreUnavailableError('the test stopped the writes');
      return inner.transaction(work);
    },
    health: () =>
      stopped
        ? { writable: false, problem: 'write-failed' as const, reason: 'the test stopped the writes', permanent: false }
        : inner.health(),
    close: () => inner.close(),
  };
  return {
    store,
    stopWrites: () => {
      stopped = true;
    },
  };
}
