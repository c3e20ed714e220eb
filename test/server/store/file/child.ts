/** A separate process with an open store, which tests bundle, start and kill. */
import { writeSync } from 'node:fs';
import { systemRandom } from '../../../../src/server/lib/random.ts';
import type { FileStore } from '../../../../src/server/store/file/file-store.ts';
import { openFileStore } from '../../../../src/server/store/file/file-store.ts';
import { nodeDisk } from '../../../../src/server/store/file/node-disk.ts';
import { openNodeProcesses } from '../../../../src/server/store/file/node-processes.ts';
import { StoreOpenError } from '../../../../src/server/store/open-error.ts';
import { group } from '../rows.ts';

const [, , directory = '', mode, writers = '1'] = process.argv;

/** Synchronous, so that the output is complete even if the process is killed right afterwards. */
function print(...values: unknown[]): void {
  writeSync(1, `${values.join(' ')}\n`);
}

async function open(): Promise<FileStore | undefined> {
  const processes = await openNodeProcesses(process.pid, process.platform);
  try {
    const clock = { now: () => new Date() };
    // Frequent checkpoints, so that kills hit every step of one.
    const tuning = { delayMilliseconds: 20, walBytes: 20_000 };
    return await openFileStore({ directory, disk: nodeDisk, clock, processes, random: systemRandom, tuning });
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    print('rejected', error.kind, error.pid);
    return undefined;
  }
}

/** Sets the counter to the next number and adds a group of that number. */
async function next(store: FileStore): Promise<void> {
  const number = await store.transaction(async ({ groups }) => {
    const before = await groups.get('counter');
    const count = Number(before?.groupName.replace('counted to ', '') ?? 0) + 1;
    const counter = group('counter', { groupName: `counted to ${count}` });
    await (before === undefined ? groups.insert(counter) : groups.replace(counter));
    await groups.insert(group(`n${String(count).padStart(8, '0')}`));
    return count;
  });
  print('acknowledged', number);
}

async function write(store: FileStore): Promise<void> {
  for (;;) await next(store);
}

const store = await open();
if (store !== undefined) {
  print('open', store.fresh);
  if (mode === 'write') await Promise.all(Array.from({ length: Number(writers) }, () => write(store)));
  // Standard input keeps the process alive until the test ends; the lock does not.
  process.stdin.resume();
}
