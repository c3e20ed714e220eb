/** Defects of order between the store and its disk: what is written, kept or removed too late, too early, or in parts. */
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Disk, type DiskFile, errorCode, writeFile } from '../src/server/store/json/disk.ts';
import { closedSegmentFirst } from '../src/server/store/json/layout.ts';
import { bound, boundFile } from './bound.ts';

/** What each defect does, in the words of `--help`. */
export const orderPlants = {
  'write-later': 'commits are kept in memory, and written a little after they were acknowledged',
  'drop-early': 'the journal is removed before the checkpoint that replaces it is in place',
  'keep-newer-date': 'of two checkpoints the one with the later date is kept',
  'sync-each': 'each commit of a group is synced on its own',
  'first-of-group': 'of commits that are written together only the first one is written',
} as const;

/** The disk with a defect; the disk itself where the defect is none of these. */
export function withOrder(disk: Disk, plant: string): Disk {
  switch (plant) {
    case 'write-later':
      return withJournal(disk, writingLater);
    case 'drop-early':
      return droppingEarly(disk);
    case 'keep-newer-date':
      return keepingNewerDate(disk);
    case 'sync-each':
      return withJournal(disk, syncingEach);
    case 'first-of-group':
      return withJournal(disk, writingFirst);
    default:
      return disk;
  }
}

/** Commits go to what is opened so: a new segment is made under its other name first. */
function withJournal(disk: Disk, change: (file: DiskFile) => DiskFile): Disk {
  return {
    ...bound(disk),
    async open(path, mode) {
      const file = await disk.open(path, mode);
      return mode === 'modify' ? change(file) : file;
    },
  };
}

/** A kill comes to some commits in this time, and a stop to none: closing writes what waits. */
const LATER_MS = 50;

function writingLater(file: DiskFile): DiskFile {
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

function syncingEach(file: DiskFile): DiskFile {
  return {
    ...boundFile(file),
    async write(bytes, position) {
      let written = 0;
      for (const line of linesOf(bytes)) {
        written += await file.write(line, position + written);
        await file.syncData();
      }
      return written;
    },
  };
}

function writingFirst(file: DiskFile): DiskFile {
  let lost = 0;
  return {
    ...boundFile(file),
    async write(bytes, position) {
      const [first = bytes] = linesOf(bytes);
      await file.write(first, position - lost);
      lost += bytes.length - first.length;
      return bytes.length;
    },
    truncate: (size) => file.truncate(size - lost),
  };
}

function linesOf(bytes: Uint8Array): Buffer[] {
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/(?<=\n)/);
  return lines.map((line) => Buffer.from(line, 'latin1'));
}

function droppingEarly(disk: Disk): Disk {
  return {
    ...bound(disk),
    async open(path, mode) {
      if (basename(path) === 'iam.json.tmp') await dropSegments(disk, dirname(path));
      return disk.open(path, mode);
    },
    remove: (path) =>
      disk.remove(path).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error;
      }),
  };
}

async function dropSegments(disk: Disk, folder: string): Promise<void> {
  for (const name of (await disk.list(folder)) ?? []) {
    if (closedSegmentFirst(name) !== undefined) await disk.remove(join(folder, name));
  }
}

function keepingNewerDate(disk: Disk): Disk {
  return {
    ...bound(disk),
    async rename(from, to) {
      if (basename(from) === 'iam.json.tmp') {
        const former = await disk.read(join(dirname(to), 'iam.previous.json'));
        const made = await disk.read(from);
        if (former !== undefined && dateOf(made) < dateOf(former)) await writeFile(disk, from, former);
      }
      await disk.rename(from, to);
    },
  };
}

/** Dates of this form are in the order of their texts. */
function dateOf(checkpoint: Buffer | undefined): string {
  return /"writtenAt":"([^"]*)"/.exec(checkpoint?.toString() ?? '')?.[1] ?? '';
}
