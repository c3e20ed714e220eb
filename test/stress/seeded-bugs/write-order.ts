/** Defects of order between the store and its disk: what is written, kept or removed too late, too early, or in parts. */
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Disk, type DiskFile, getErrorCode, writeFile } from '../../../src/server/store/json/disk.ts';
import { closedSegmentFirst } from '../../../src/server/store/json/layout.ts';
import { bindDisk, bindDiskFile } from '../disk-methods.ts';

/** What each defect does, in the words of `--help`. */
export const writeOrderBugs = {
  'write-later': 'commits are kept in memory, and written a little after they were acknowledged',
  'drop-early': 'the journal is removed before the checkpoint that replaces it is in place',
  'keep-newer-date': 'of two checkpoints the one with the later date is kept',
  'sync-each': 'each commit of a group is synced on its own',
  'first-of-group': 'of commits that are written together only the first one is written',
} as const;

/** The disk with a defect; the disk itself where the defect is none of these. */
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

/** Commits go to what is opened so: a new segment is made under its other name first. */
function wrapWal(disk: Disk, change: (file: DiskFile) => DiskFile): Disk {
  return {
    ...bindDisk(disk),
    async open(path, mode) {
      const file = await disk.open(path, mode);
      return mode === 'modify' ? change(file) : file;
    },
  };
}

/** A kill comes to some commits in this time, and a stop to none: closing writes what waits. */
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
        const former = await disk.read(join(dirname(to), 'iam.previous.json'));
        const made = await disk.read(from);
        if (former !== undefined && readCheckpointDate(made) < readCheckpointDate(former))
          await writeFile(disk, from, former);
      }
      await disk.rename(from, to);
    },
  };
}

/** Dates of this form are in the order of their texts. */
function readCheckpointDate(checkpoint: Buffer | undefined): string {
  return /"writtenAt":"([^"]*)"/.exec(checkpoint?.toString() ?? '')?.[1] ?? '';
}
