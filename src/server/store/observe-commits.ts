/** The store of one request that records whether it changed something. */
import type { Store } from './store.ts';

/** Calls `onCommit` after each transaction: a later failure of the request must not be reported as one that changed nothing. */
export function observeCommits(store: Store, onCommit: () => void): Store {
  const transaction: Store['transaction'] = async (work) => {
    const result = await store.transaction(work);
    onCommit();
    return result;
  };
  return Object.assign(Object.create(store) as Store, { transaction });
}
