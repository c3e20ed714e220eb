/** The composition root of what is done with the files of a store while no server has it open: `iam store` loads it. */
import { systemClock } from './clock.ts';
import { nodeDisk } from './store/json/node-disk.ts';
import { openNodeProcesses } from './store/json/node-processes.ts';
import { createOfflineStore, type OfflineStore } from './store/json/offline-store.ts';

export { openExitCodes } from './store/json/open-error.ts';

/** The tools for the disk of this machine. */
export async function openStoreTools(): Promise<OfflineStore> {
  const processes = await openNodeProcesses(process.pid, process.platform);
  return createOfflineStore({ disk: nodeDisk, processes, now: () => systemClock.now() });
}
