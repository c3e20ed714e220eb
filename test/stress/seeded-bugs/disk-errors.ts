/** Seeded bugs in the handling of system errors and in the writing of checkpoints. */
import { basename } from 'node:path';
import { type Disk, type DiskFile, getErrorCode, writeAll } from '../../../src/server/store/file/disk.ts';
import { bindDisk, bindDiskFile } from '../disk-methods.ts';

/** Descriptions of the bugs, as `--help` shows them. */
export const diskErrorBugs = {
  'swallow-write-errors': 'a failed write is treated as successful',
  'swallow-rename-errors': 'a failed rename is treated as successful',
  'exit-on-open-error': 'a file that cannot be opened ends the process',
  'full-for-good': 'a disk that was full once is treated as full until the restart',
  'keep-temporaries': 'the temporary file of a failed checkpoint is not removed',
  'checkpoint-at-once': 'a checkpoint is encoded and written in one piece, which blocks the event loop',
  'checkpoint-in-memory': 'three copies of a checkpoint are in memory before it is written',
} as const;

/** Returns the disk with one of these bugs; any other name returns the disk unchanged. */
export function withDiskErrorBug(disk: Disk, seededBug: string): Disk {
  switch (seededBug) {
    case 'swallow-write-errors':
      return wrapFiles(disk, (file) => ({
        write: (bytes, position) => file.write(bytes, position).catch(() => bytes.length),
      }));
    case 'swallow-rename-errors':
      return { ...bindDisk(disk), rename: (from, to) => disk.rename(from, to).catch(() => {}) };
    case 'exit-on-open-error':
      return { ...bindDisk(disk), open: (path, mode) => disk.open(path, mode).catch(endProcess) };
    case 'full-for-good':
      return latchDiskFull(disk);
    case 'keep-temporaries':
      return { ...bindDisk(disk), remove: async (path) => (path.endsWith('.tmp') ? undefined : disk.remove(path)) };
    case 'checkpoint-at-once':
      return bufferCheckpoint(disk, (slices) => {
        const text = Buffer.concat(slices);
        return [text, JSON.stringify(JSON.parse(text.toString()))];
      });
    case 'checkpoint-in-memory':
      return bufferCheckpoint(disk, (slices) => {
        const text = Buffer.concat(slices);
        return [text, slices, text.toString('latin1')];
      });
    default:
      return disk;
  }
}

function wrapFiles(disk: Disk, change: (file: DiskFile, path: string) => Partial<DiskFile>): Disk {
  return {
    ...bindDisk(disk),
    async open(path, mode) {
      const file = await disk.open(path, mode);
      return { ...bindDiskFile(file), ...change(file, path) };
    },
  };
}

/** Throws the error uncaught, which ends the process. */
function endProcess(error: unknown): never {
  // Only system errors count: not the lock file of another process, nor a folder without a store.
  if (['EACCES', 'EROFS', 'EMFILE'].includes(getErrorCode(error) ?? ''))
    setImmediate(() => {
      throw error;
    });
  throw error;
}

function latchDiskFull(disk: Disk): Disk {
  let fullError: unknown;
  return wrapFiles(disk, (file) => ({
    async write(bytes, position) {
      if (fullError !== undefined) throw fullError;
      return file.write(bytes, position).catch((error: unknown) => {
        fullError = error;
        throw error;
      });
    },
  }));
}

/**
 * Buffers a checkpoint and writes it on sync.
 * @param buffer returns the bytes to write, followed by values to retain in memory meanwhile.
 */
function bufferCheckpoint(disk: Disk, buffer: (slices: readonly Buffer[]) => readonly [Buffer, ...unknown[]]): Disk {
  return wrapFiles(disk, (file, path) => {
    if (basename(path) !== 'iam.json.tmp') return {};
    const slices: Buffer[] = [];
    return {
      async write(bytes) {
        slices.push(Buffer.from(bytes));
        return bytes.length;
      },
      async sync() {
        const buffered = buffer(slices);
        await writeAll(file, buffered[0], 0);
        await file.sync();
        buffered.at(-1);
      },
    };
  });
}
