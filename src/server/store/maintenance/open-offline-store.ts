/** The composition root of the offline store commands, loaded by `iam store`. */
import { readSettings, settingsTable } from '../../config/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { systemRandom } from '../../lib/random.ts';
import { systemStopwatch } from '../../lib/stopwatch.ts';
import { systemTimer } from '../../lib/timer.ts';
import { nodeDisk } from '../file/node-disk.ts';
import { openNodeProcesses } from '../file/node-processes.ts';
import { createOfflineStore, type OfflineStore } from './offline-store.ts';

export { SettingError } from '../../config/settings.ts';
export { openExitCodes, StoreOpenError } from '../open-error.ts';

/** Opens the offline store operations for this machine. @param unsafeLock the value of IAM_UNSAFE_LOCK */
export async function openOfflineStore(unsafeLock?: string): Promise<OfflineStore> {
  const { unsafeLock: allowsUnsafeLock } = readSettings({}, { [settingsTable.unsafeLock.environment]: unsafeLock });
  const processes = await openNodeProcesses(process.pid, process.platform, { allowsUnsafeLock });
  return createOfflineStore({
    disk: nodeDisk,
    processes,
    now: () => systemClock.now(),
    random: systemRandom,
    stopwatch: systemStopwatch,
    timer: systemTimer,
  });
}
