/** Defects of the kinds that lose data, between the store and its disk: each shows that some suite finds its kind. */
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Disk, DiskFile } from '../../../src/server/store/json/disk.ts';
import { bindDisk, bindDiskFile } from '../disk-methods.ts';
import { browserGuardBugs } from '../hostile/browser-cases.ts';
import { diskErrorBugs, withDiskErrorBug } from './disk-errors.ts';
import { lockBugs } from './locks.ts';
import { serviceBugs } from './service.ts';
import { throttleBugs } from './throttles.ts';
import { withWriteOrderBug, writeOrderBugs } from './write-order.ts';

/** What each defect does, in the words of `--help`. */
export const seededBugs = {
  'skip-datasync': 'commits are not synced',
  'acknowledge-first': 'commits are synced only after they were acknowledged',
  'second-sync-counts': 'a failed sync is tried again, and the second try is believed',
  'skip-file-sync': 'new files are put in place without being synced',
  'skip-folder-sync': 'names are not synced',
  'ignore-checksums': 'checksums are taken to be right',
  'believe-short-writes': 'a write that took some of the bytes is taken for the whole',
  'keep-torn': 'what a failed write left is not taken back',
  'keep-segments': 'segments of the journal that are no longer needed stay',
  'leak-handles': 'files are not closed',
  'drop-damaged': 'lines of the journal that are damaged or torn are passed over in silence',
  'forget-next': 'a rotation of the journal that was broken off is not finished',
  'drop-strangers': 'commits that do not follow the one before are passed over in silence',
  'slow-sync': 'each sync takes a fifth of a second longer',
  ...writeOrderBugs,
  ...serviceBugs,
  ...throttleBugs,
  ...diskErrorBugs,
  ...lockBugs,
  ...browserGuardBugs,
} as const;
export type SeededBug = keyof typeof seededBugs;

/** The disk with a defect; without one it is the disk itself. */
export function withSeededBug(disk: Disk, seededBug: string | undefined): Disk {
  switch (seededBug) {
    case 'skip-folder-sync':
      return { ...bindDisk(disk), syncFolder: async () => {} };
    case 'keep-segments':
      return { ...bindDisk(disk), remove: async (path) => (isClosedSegment(path) ? undefined : disk.remove(path)) };
    case 'ignore-checksums':
      return withReads(disk, (bytes) => restoreChecksums(bytes));
    case 'drop-damaged':
      return withReads(disk, (bytes, path) => (basename(path) === 'journal.jsonl' ? dropCorruptLines(bytes) : bytes));
    case 'forget-next':
      return {
        ...bindDisk(disk),
        list: async (folder) => (await disk.list(folder))?.filter((name) => name !== 'journal.next.jsonl'),
      };
    case 'drop-strangers':
      return withReads(disk, (bytes, path) =>
        basename(path).startsWith('journal.') ? dropOutOfSequence(bytes) : bytes,
      );
    case 'share-store':
      return {
        ...bindDisk(disk),
        open: (path, mode) => disk.open(path, basename(path) === 'iam.lock' && mode === 'create' ? 'replace' : mode),
      };
    case undefined:
      return disk;
    default:
      return withFiles(withWriteOrderBug(withDiskErrorBug(disk, seededBug), seededBug), seededBug);
  }
}

function withReads(disk: Disk, change: (bytes: Buffer, path: string) => Buffer): Disk {
  return {
    ...bindDisk(disk),
    async read(path) {
      const bytes = await disk.read(path);
      return bytes && change(bytes, path);
    },
  };
}

function withFiles(disk: Disk, seededBug: string): Disk {
  return {
    ...bindDisk(disk),
    open: async (path, mode) => ({ ...(await seedFileBug(await disk.open(path, mode), seededBug)) }),
  };
}

/** What is kept here is not closed by the collector of garbage either. */
const leakedFiles: DiskFile[] = [];

function seedFileBug(file: DiskFile, seededBug: string): DiskFile {
  const nothing = async () => {};
  const changes: Readonly<Record<string, Partial<DiskFile>>> = {
    'skip-datasync': { syncData: nothing },
    'acknowledge-first': { syncData: async () => void setTimeout(20).then(() => file.syncData().catch(nothing)) },
    'second-sync-counts': { syncData: () => file.syncData().catch(() => file.syncData()) },
    'skip-file-sync': { sync: nothing },
    'believe-short-writes': {
      write: async (bytes, position) => {
        await file.write(bytes, position);
        return bytes.length;
      },
    },
    'keep-torn': { truncate: nothing },
    'leak-handles': { close: async () => void leakedFiles.push(file) },
    'slow-sync': { syncData: () => setTimeout(200).then(() => file.syncData()) },
  };
  return { ...bindDiskFile(file), ...changes[seededBug] };
}

function isClosedSegment(path: string): boolean {
  return /^journal\.\d+\.jsonl$/.test(basename(path));
}

const CHECKSUM = /,?\n?"crc32":"[0-9a-f]{8}"\n?\}$/;

/** The lines, or the whole checkpoint, with the checksums that they should have. */
function restoreChecksums(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  if (text.startsWith('{\n')) return Buffer.from(restoreChecksum(text.slice(0, -1), '\n') + text.slice(-1), 'latin1');
  return Buffer.from(
    text
      .split('\n')
      .map((line) => restoreChecksum(line, ''))
      .join('\n'),
    'latin1',
  );
}

function restoreChecksum(text: string, newline: string): string {
  const found = CHECKSUM.exec(text);
  if (found === null) return text;
  const before = newline === '' ? text.slice(0, found.index) : text.slice(0, text.lastIndexOf('"crc32"'));
  const crc = crc32(Buffer.from(before, 'latin1')).toString(16).padStart(8, '0');
  return newline === '' ? `${before},"crc32":"${crc}"}` : `${before}"crc32":"${crc}"\n}`;
}

/** The lines of a segment without those whose number is not the next one. */
function dropOutOfSequence(bytes: Buffer): Buffer {
  let next: number | undefined;
  const kept = bytes
    .toString('latin1')
    .split('\n')
    .filter((line) => {
      const sequence = Number(/^\{"sequence":(\d+)/.exec(line)?.[1] ?? Number.NaN);
      if (Number.isNaN(sequence)) return true;
      const follows = next === undefined || sequence === next;
      if (follows) next = sequence + 1;
      return follows;
    });
  return Buffer.from(kept.join('\n'), 'latin1');
}

/** The lines whose checksum is right. */
function dropCorruptLines(bytes: Buffer): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  return Buffer.from(
    lines
      .filter((line) => line !== '' && restoreChecksum(line, '') === line && CHECKSUM.test(line))
      .map((line) => `${line}\n`)
      .join(''),
    'latin1',
  );
}
