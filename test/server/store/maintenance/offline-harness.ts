/** The offline store operations on a fake disk. */

import { systemRandom } from '../../../../src/server/lib/random.ts';
import { systemStopwatch } from '../../../../src/server/lib/stopwatch.ts';
import { systemTimer } from '../../../../src/server/lib/timer.ts';
import { createOfflineStore, type OfflineStore } from '../../../../src/server/store/maintenance/offline-store.ts';
import type { StoreOpenError } from '../../../../src/server/store/open-error.ts';
import type { FakeDisk } from '../fake-disk.ts';
import { FakeMachine } from '../fake-processes.ts';
import { clock } from '../temp-store.ts';

export const backupFile = '/backups/backup.json';

/** Creates the operations for a new process, on a separate machine by default. */
export function createOfflineStoreOn(disk: FakeDisk, machine = new FakeMachine()): OfflineStore {
  return createOfflineStore({
    disk,
    processes: machine.start(),
    assertTrusted: () => undefined,
    now: clock.now,
    random: systemRandom,
    stopwatch: systemStopwatch,
    timer: systemTimer,
  });
}

/** Returns the error of a rejected operation. */
export async function catchOpenError(work: Promise<unknown>): Promise<StoreOpenError> {
  const outcome = await work.then(
    () => undefined,
    (error: StoreOpenError) => error,
  );
  if (outcome === undefined) throw new Error('The operation succeeded.');
  return outcome;
}
