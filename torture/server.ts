/**
 * The service as the product composes it, upon a disk that may have a defect or kill its process at a certain operation.
 * Checkpoints come often, so that a kill hits every step of one. `node server.js '{"data":"FOLDER"}'`
 */
import { systemClock } from '../src/server/clock.ts';
import { createLog } from '../src/server/log.ts';
import { systemRandomness } from '../src/server/randomness.ts';
import { startService } from '../src/server/service.ts';
import { readSettings } from '../src/server/settings.ts';
import { openFileStore } from '../src/server/store/json/file-store.ts';
import { nodeDisk } from '../src/server/store/json/node-disk.ts';
import { openNodeProcesses } from '../src/server/store/json/node-processes.ts';
import { openExitCodes, StoreOpenError } from '../src/server/store/json/open-error.ts';
import { type Kill, killedAt } from './failing-disk.ts';
import { planted } from './planted-disk.ts';
import { plantedProcesses } from './planted-locks.ts';
import { plantedClock, plantedRandomness, plantedStop, plantedStore } from './planted-service.ts';

export interface ServerOrder {
  /** The folder of the store. */
  readonly data: string;
  readonly plant?: string | undefined;
  readonly kill?: Kill | undefined;
  /** False for checkpoints that come as seldom as the product's. */
  readonly frequent?: boolean | undefined;
  /** See `CheckpointTuning`; 20 where nothing is said, and checkpoints are frequent. */
  readonly delayMilliseconds?: number | undefined;
}

const order = JSON.parse(process.argv[2] ?? '') as ServerOrder;
const log = createLog(
  'warn',
  (line) => process.stderr.write(line),
  () => systemClock.now(),
);
const service = await startService({
  settings: readSettings({ port: '0', data: order.data, 'fast-passwords': true }, process.env),
  clock: plantedClock(systemClock, order.plant),
  randomness: plantedRandomness(systemRandomness, order.plant),
  log,
  openStore: async () =>
    plantedStore(
      await openFileStore({
        directory: order.data,
        disk: tortured(order),
        clock: systemClock,
        processes: plantedProcesses(await openNodeProcesses(process.pid, process.platform), order.plant, order.data),
        tuning:
          order.frequent === false ? {} : { delayMilliseconds: order.delayMilliseconds ?? 20, journalBytes: 20_000 },
        log: ({ event, ...fields }) => log.warn({ event, ...fields }, 'store'),
      }),
      order.plant,
    ),
}).catch((error: Error) => {
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(error instanceof StoreOpenError ? openExitCodes[error.kind] : 1);
});

function tortured({ plant, kill }: ServerOrder) {
  const disk = planted(nodeDisk, plant);
  return kill === undefined ? disk : killedAt(disk, kill, () => process.kill(process.pid, 'SIGKILL'));
}

process.once('SIGTERM', () => {
  void plantedStop(service, order.plant, () => process.exit(0)).then(() => process.disconnect?.());
});
// The suites ask what keeps the process busy.
process.on('message', () => process.send?.(process.getActiveResourcesInfo()));
process.channel?.unref();
process.stdout.write(`${JSON.stringify({ url: service.url })}\n`);
