/** A store that runs the work of each transaction twice and undoes the first run, as an engine does after a conflict. */
import type { Store, Transaction } from '../../../src/server/store/store.ts';

/** Ends the first run of a transaction, so that nothing of it is stored. */
class UndoneError extends Error {}

export function repeatWork(store: Store): Store {
  return {
    ...store,
    async transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
      const run = store.transaction(async (tx) => {
        // Its error is not the one of the second run, which counts.
        await work(tx).catch(() => undefined);
        throw new UndoneError();
      });
      await run.catch((error: unknown) => {
        if (!(error instanceof UndoneError)) throw error;
      });
      return store.transaction(work);
    },
  };
}
