/** The tools for stores that nobody has open, upon the fake disk of a bench. */

import { createOfflineStore, type OfflineStore } from '../../../src/server/store/json/offline-store.ts';
import type { StoreOpenError } from '../../../src/server/store/json/open-error.ts';
import type { FakeDisk } from './fake-disk.ts';
import { FakeMachine } from './fake-processes.ts';
import { clock } from './temp-store.ts';

export const backupFile = '/backups/backup.json';

/** Tools of a new process of its own machine, unless one is given. */
export function createOfflineStoreOn(disk: FakeDisk, machine = new FakeMachine()): OfflineStore {
  return createOfflineStore({ disk, processes: machine.start(), now: clock.now });
}

/** Why it was refused. */
export async function catchOpenError(work: Promise<unknown>): Promise<StoreOpenError> {
  const outcome = await work.then(
    () => undefined,
    (error: StoreOpenError) => error,
  );
  if (outcome === undefined) throw new Error('It was done.');
  return outcome;
}
