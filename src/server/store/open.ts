/** Opens the configured store: in memory, or in a folder. */
import path from 'node:path';
import type { Settings } from '../config/settings.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { systemStopwatch } from '../lib/stopwatch.ts';
import { openFileStore } from './file/file-store.ts';
import { nodeDisk } from './file/node-disk.ts';
import { openNodeProcesses } from './file/node-processes.ts';
import { openMemoryStore } from './memory/memory-store.ts';
import type { Store } from './store.ts';

/** Opens the store. It uses the system clock, not the adjustable one. @throws StoreOpenError. */
export async function openStore({ store, data }: Settings, log: Log): Promise<Store> {
  if (store === 'memory') return openMemoryStore();
  return openFileStore({
    directory: path.resolve(data),
    disk: nodeDisk,
    clock: systemClock,
    processes: await openNodeProcesses(process.pid, process.platform),
    log: (event) => logStoreEvent(event, log),
    stopwatch: systemStopwatch,
  });
}

function logStoreEvent({ event, ...fields }: { readonly event: string; readonly error?: unknown }, log: Log): void {
  const loggedFields = 'error' in fields ? { ...fields, error: String(fields.error) } : fields;
  const level =
    event === 'writes-stopped' || event === 'checkpoint-failed'
      ? 'error'
      : event === 'checkpoint-written'
        ? 'debug'
        : 'warn';
  log[level]({ event, ...loggedFields }, 'store');
}
