/** A temporary folder with a file store for one test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { type FileStore, type FileStoreOptions, openFileStore } from '../../../src/server/store/file/file-store.ts';
import { nodeDisk } from '../../../src/server/store/file/node-disk.ts';
import { openNodeProcesses } from '../../../src/server/store/file/node-processes.ts';

const processes = await openNodeProcesses(process.pid, process.platform);
export const clock = { now: () => new Date('2024-05-01T12:00:00.000Z') };

/** No automatic checkpoints. */
const quiet = { delayMilliseconds: Number.POSITIVE_INFINITY, walBytes: Number.MAX_SAFE_INTEGER };

export interface Folder {
  readonly directory: string;
  remove(): Promise<void>;
}

export async function makeFolder(): Promise<Folder> {
  const parent = await mkdtemp(join(tmpdir(), 'iam-store-'));
  return { directory: join(parent, 'store'), remove: () => rm(parent, { recursive: true }) };
}

export function openStore(directory: string, options: Partial<FileStoreOptions> = {}): Promise<FileStore> {
  return openFileStore({
    directory,
    disk: nodeDisk,
    clock,
    processes,
    random: systemRandom,
    tuning: quiet,
    ...options,
  });
}
