/** Opens the configured store: in memory, in a folder, or in a database. */
import path from 'node:path';
import type { FileTrust } from '../../lib/file-trust.ts';
import type { Settings } from '../config/settings.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import { systemStopwatch } from '../lib/stopwatch.ts';
import { systemTimer } from '../lib/timer.ts';
import { openFileStore } from './file/file-store.ts';
import { assertTrustedFolder } from './file/folder-trust.ts';
import { nodeDisk } from './file/node-disk.ts';
import { openNodeProcesses } from './file/node-processes.ts';
import { createCapacity } from './memory/capacity.ts';
import type { HeapGauge } from './memory/heap-gauge.ts';
import { openMemoryStore } from './memory/memory-store.ts';
import type { Store } from './store.ts';

/** The server that opens a store, among those that may share it. */
export interface ServerIdentity {
  readonly replica: string;
  /** The issuer of its tokens. */
  readonly issuer: string;
}

export interface StoreDeps {
  readonly log: Log;
  /** Of this process: an embedded store adds no rows to a heap that is nearly full. */
  readonly heap: HeapGauge;
  /** Decides whether the folder may be used. */
  readonly trust: FileTrust;
}

/** Opens the store. It uses the system clock, not the adjustable one. @throws StoreOpenError. */
export async function openStore(settings: Settings, server: ServerIdentity, deps: StoreDeps): Promise<Store> {
  const { log, heap, trust } = deps;
  if (settings.store === 'memory') return openMemoryStore(createCapacity(heap));
  if (settings.store === 'postgres') return openDatabase(settings, server);
  const directory = path.resolve(settings.data);
  return openFileStore({
    directory,
    assertTrusted: (folder) => assertTrustedFolder(folder, trust),
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    processes: await openNodeProcesses(process.pid, process.platform, { allowsUnsafeLock: settings.unsafeLock }),
    log: (event) => logStoreEvent(event, log),
    stopwatch: systemStopwatch,
    capacity: createCapacity(heap),
  });
}

/** Writing transactions at once on a database: more of them conflict more often. */
const writingTransactions = 2;

/** Loads the driver only now: other stores start without it. */
async function openDatabase(
  { databaseUrl, databaseSecretUrl, ...settings }: Settings,
  { replica, issuer }: ServerIdentity,
): Promise<Store> {
  const { openPostgresStore } = await import('./postgres/open-postgres-store.ts');
  return openPostgresStore({
    databaseUrl: databaseSecretUrl ?? databaseUrl ?? '',
    schema: settings.databaseSchema,
    initialize: settings.init,
    lanes: writingTransactions,
    replica: { name: replica, issuer, isExclusive: settings.exclusive },
    clock: systemClock,
    random: systemRandom,
    stopwatch: systemStopwatch,
    timer: systemTimer,
  });
}

function logStoreEvent({ event, ...fields }: { readonly event: string; readonly error?: unknown }, log: Log): void {
  const loggedFields = 'error' in fields ? { ...fields, error: String(fields.error) } : fields;
  const level =
    event === 'writes-stopped' || event === 'dispossessed' || event === 'checkpoint-failed'
      ? 'error'
      : event === 'checkpoint-written'
        ? 'debug'
        : 'warn';
  log[level]({ event, ...loggedFields }, 'store');
}
