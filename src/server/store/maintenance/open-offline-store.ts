/** The composition root of the offline store commands, loaded by `iam store`. */
import { readFileTrust } from '../../../lib/file-trust.ts';
import { readSettings, type SettingsEnvironment, settingsTable } from '../../config/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { systemRandom } from '../../lib/random.ts';
import { systemStopwatch } from '../../lib/stopwatch.ts';
import { systemTimer } from '../../lib/timer.ts';
import { assertTrustedFolder } from '../file/folder-trust.ts';
import { nodeDisk } from '../file/node-disk.ts';
import { openNodeProcesses } from '../file/node-processes.ts';
import { createOfflineStore, type OfflineStore } from './offline-store.ts';

export { SettingError } from '../../config/settings.ts';
export { openExitCodes, StoreOpenError } from '../open-error.ts';

/** Opens the offline store operations for this machine, with the settings that the variables have for them. */
export async function openOfflineStore(environment: SettingsEnvironment): Promise<OfflineStore> {
  const { environment: variable } = settingsTable.unsafeLock;
  const { unsafeLock: allowsUnsafeLock } = readSettings({}, { [variable]: environment[variable] });
  const trust = readFileTrust(environment);
  const processes = await openNodeProcesses(process.pid, process.platform, { allowsUnsafeLock });
  return createOfflineStore({
    disk: nodeDisk,
    processes,
    assertTrusted: (folder) => assertTrustedFolder(folder, trust),
    now: () => systemClock.now(),
    random: systemRandom,
    stopwatch: systemStopwatch,
    timer: systemTimer,
  });
}
