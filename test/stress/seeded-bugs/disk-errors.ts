/** Defects in how refusals of the system are taken, and in how a checkpoint is written. */
import { basename } from 'node:path';
import { type Disk, type DiskFile, getErrorCode, writeAll } from '../../../src/server/store/json/disk.ts';
import { bindDisk, bindDiskFile } from '../disk-methods.ts';

/** What each defect does, in the words of `--help`. */
export const diskErrorBugs = {
  'swallow-write-errors': 'a write that fails is taken for done',
  'swallow-rename-errors': 'a rename that fails is taken for done',
  'die-of-refusals': 'a file that can not be opened ends the process',
  'full-for-good': 'a disk that was full once is taken to be full ever after',
  'keep-temporaries': 'what a checkpoint that failed had begun stays',
  'checkpoint-at-once': 'a checkpoint is encoded and written in one piece, while everybody waits',
  'checkpoint-in-memory': 'a checkpoint is held in memory three times before it is written',
} as const;

/** The disk with one of these defects; with any other it is the disk itself. */
export function withDiskErrorBug(disk: Disk, seededBug: string): Disk {
  switch (seededBug) {
    case 'swallow-write-errors':
      return wrapFiles(disk, (file) => ({
        write: (bytes, position) => file.write(bytes, position).catch(() => bytes.length),
      }));
    case 'swallow-rename-errors':
      return { ...bindDisk(disk), rename: (from, to) => disk.rename(from, to).catch(() => {}) };
    case 'die-of-refusals':
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

/** As an error that nobody waits for does. */
function endProcess(error: unknown): never {
  // The lock file of somebody else, and a folder that is no store, are no refusals of the system.
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
 * Gathers a checkpoint and writes it at its end.
 * @param buffer makes what is written of the slices, and whatever is to be held in memory meanwhile.
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
