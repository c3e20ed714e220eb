/**
 * The instrumented server: composed as the product, on a disk that may have a seeded bug or a failpoint.
 * It writes frequent checkpoints, so that kills hit every step of one. `node server.js '{"data":"FOLDER"}'`
 */

import { openAuditFile } from '../../src/server/audit/file.ts';
import { readSettings } from '../../src/server/config/settings.ts';
import { systemClock } from '../../src/server/lib/clock.ts';
import { createLog } from '../../src/server/lib/log.ts';
import { systemRandom } from '../../src/server/lib/random.ts';
import { listen } from '../../src/server/listen.ts';
import { openFileStore } from '../../src/server/store/file/file-store.ts';
import { nodeDisk } from '../../src/server/store/file/node-disk.ts';
import { openNodeProcesses } from '../../src/server/store/file/node-processes.ts';
import { openExitCodes, StoreOpenError } from '../../src/server/store/open-error.ts';
import { type Failpoint, withFailpoint } from './failpoint-disk.ts';
import { seedAuditBug, seedClockBug, seedProcessBug, stopWithBug, withSeededBug } from './seeded-bugs.ts';

export interface InstrumentedServerOptions {
  /** The folder of the store. */
  readonly data: string;
  readonly seededBug?: string | undefined;
  readonly failpoint?: Failpoint | undefined;
  /** False for the checkpoint schedule of the product; true by default. */
  readonly frequent?: boolean | undefined;
  /** Whether there is an audit log, which is rotated often; false by default. */
  readonly audit?: boolean | undefined;
  /** See `CheckpointTuning`; 20 by default when checkpoints are frequent. */
  readonly delayMilliseconds?: number | undefined;
}

const serverOptions = JSON.parse(process.argv[2] ?? '') as InstrumentedServerOptions;
const log = createLog(
  'warn',
  (line) => process.stderr.write(line),
  () => systemClock.now(),
);
const service = await listen({
  settings: readSettings({ port: '0', data: serverOptions.data, 'fast-passwords': true }, process.env),
  clock: seedClockBug(systemClock, serverOptions.seededBug),
  random: systemRandom,
  log,
  openStore: async () =>
    openFileStore({
      directory: serverOptions.data,
      disk: createDisk(serverOptions),
      clock: systemClock,
      random: systemRandom,
      processes: seedProcessBug(await openNodeProcesses(process.pid, process.platform), serverOptions.seededBug),
      tuning:
        serverOptions.frequent === false
          ? {}
          : { delayMilliseconds: serverOptions.delayMilliseconds ?? 20, walBytes: 20_000 },
      log: ({ event, ...fields }) => log.warn({ event, ...fields }, 'store'),
    }),
  ...(serverOptions.audit === true && { openAudit }),
}).catch((error: Error) => {
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(error instanceof StoreOpenError ? openExitCodes[error.kind] : 1);
});

function createDisk({ seededBug, failpoint }: InstrumentedServerOptions) {
  const disk = withSeededBug(nodeDisk, seededBug);
  return failpoint === undefined ? disk : withFailpoint(disk, failpoint, () => process.kill(process.pid, 'SIGKILL'));
}

/** The lines of all kinds, in one file. */
async function openAudit() {
  const path = `${serverOptions.data}/audit.log`;
  const file = await openAuditFile({ path, log, rotateBytes: 20_000, maxFiles: 100 });
  const sink = seedAuditBug(file, serverOptions.seededBug);
  return { granted: sink, selfService: sink, refused: sink };
}

process.once('SIGTERM', () => {
  void stopWithBug(service, serverOptions.seededBug, () => process.exit(0)).then(() => process.disconnect?.());
});
// Any message from a suite is a request for the active resources.
process.on('message', () => process.send?.(process.getActiveResourcesInfo()));
process.channel?.unref();
process.stdout.write(`${JSON.stringify({ url: service.url })}\n`);
