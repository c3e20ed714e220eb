/** Seeded bugs in the order of writes: data is written or removed too late, too early or in parts. */
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Disk, type DiskFile, getErrorCode, writeFile } from '../../../src/server/store/file/disk.ts';
import { closedSegmentFirst } from '../../../src/server/store/file/layout.ts';
import { bindDisk, bindDiskFile } from '../disk-methods.ts';

/** Descriptions of the bugs, as `--help` shows them. */
export const writeOrderBugs = {
  'write-later': 'commits are buffered in memory and written shortly after they are acknowledged',
  'drop-early': 'the write-ahead log is removed before the checkpoint that replaces it is complete',
  'keep-newer-date': 'of two checkpoints the one with the later date wins',
  'sync-each': 'each commit of a group is synced separately',
  'first-of-group': 'only the first commit of a group is written',
} as const;

/** Returns the disk with one of these bugs; any other name returns the disk unchanged. */
export function withWriteOrderBug(disk: Disk, seededBug: string): Disk {
  switch (seededBug) {
    case 'write-later':
      return wrapWal(disk, delayWrites);
    case 'drop-early':
      return dropWalEarly(disk);
    case 'keep-newer-date':
      return keepNewerCheckpoint(disk);
    case 'sync-each':
      return wrapWal(disk, syncEachLine);
    case 'first-of-group':
      return wrapWal(disk, writeFirstLine);
    default:
      return disk;
  }
}

/** Wraps files opened with `modify`: commits go only to those, as a new segment is created under a temporary name. */
function wrapWal(disk: Disk, change: (file: DiskFile) => DiskFile): Disk {
  return {
    ...bindDisk(disk),
    async open(path, mode) {
      const file = await disk.open(path, mode);
      return mode === 'modify' ? change(file) : file;
    },
  };
}

/** Long enough for a kill to lose commits; a clean stop loses none, since closing flushes them. */
const LATER_MS = 50;

function delayWrites(file: DiskFile): DiskFile {
  const waiting: { bytes: Uint8Array; position: number }[] = [];
  let flushed: Promise<void> = Promise.resolve();
  const write = async () => {
    for (const { bytes, position } of waiting.splice(0)) await file.write(bytes, position);
  };
  const flush = () => {
    flushed = flushed.then(write);
    return flushed;
  };
  return {
    async write(bytes, position) {
      waiting.push({ bytes, position });
      void setTimeout(LATER_MS, undefined, { ref: false })
        .then(flush)
        .catch(() => {});
      return bytes.length;
    },
    truncate: (size) => flush().then(() => file.truncate(size)),
    syncData: async () => {},
    sync: () => flush().then(() => file.sync()),
    close: () => flush().then(() => file.close()),
  };
}

function syncEachLine(file: DiskFile): DiskFile {
  return {
    ...bindDiskFile(file),
    async write(bytes, position) {
      let written = 0;
      for (const line of splitLines(bytes)) {
        written += await file.write(line, position + written);
        await file.syncData();
      }
      return written;
    },
  };
}

function writeFirstLine(file: DiskFile): DiskFile {
  let lost = 0;
  return {
    ...bindDiskFile(file),
    async write(bytes, position) {
      const [first = bytes] = splitLines(bytes);
      await file.write(first, position - lost);
      lost += bytes.length - first.length;
      return bytes.length;
    },
    truncate: (size) => file.truncate(size - lost),
  };
}

function splitLines(bytes: Uint8Array): Buffer[] {
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/(?<=\n)/);
  return lines.map((line) => Buffer.from(line, 'latin1'));
}

function dropWalEarly(disk: Disk): Disk {
  return {
    ...bindDisk(disk),
    async open(path, mode) {
      if (basename(path) === 'iam.json.tmp') await dropSegments(disk, dirname(path));
      return disk.open(path, mode);
    },
    remove: (path) =>
      disk.remove(path).catch((error: unknown) => {
        if (getErrorCode(error) !== 'ENOENT') throw error;
      }),
  };
}

async function dropSegments(disk: Disk, folder: string): Promise<void> {
  for (const name of (await disk.list(folder)) ?? []) {
    if (closedSegmentFirst(name) !== undefined) await disk.remove(join(folder, name));
  }
}

function keepNewerCheckpoint(disk: Disk): Disk {
  return {
    ...bindDisk(disk),
    async rename(from, to) {
      if (basename(from) === 'iam.json.tmp') {
        const previous = await disk.read(join(dirname(to), 'iam.previous.json'));
        const current = await disk.read(from);
        if (previous !== undefined && readCheckpointDate(current) < readCheckpointDate(previous))
          await writeFile(disk, from, previous);
      }
      await disk.rename(from, to);
    },
  };
}

/** ISO dates, which sort as text. */
function readCheckpointDate(checkpoint: Buffer | undefined): string {
  return /"writtenAt":"([^"]*)"/.exec(checkpoint?.toString() ?? '')?.[1] ?? '';
}
