/** Seeded bugs between the store and its disk that lose data: each verifies that a suite finds bugs of its kind. */
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Disk, DiskFile } from '../../../src/server/store/file/disk.ts';
import { bindDisk, bindDiskFile } from '../disk-methods.ts';
import { browserGuardBugs } from '../hostile/browser-cases.ts';
import { diskErrorBugs, withDiskErrorBug } from './disk-errors.ts';
import { lockBugs } from './locks.ts';
import { serviceBugs } from './service.ts';
import { throttleBugs } from './throttles.ts';
import { withWriteOrderBug, writeOrderBugs } from './write-order.ts';

/** Descriptions of the bugs, as `--help` shows them. */
export const seededBugs = {
  'skip-datasync': 'commits are not synced',
  'acknowledge-first': 'commits are acknowledged before they are synced',
  'second-sync-counts': 'a failed sync is retried, and the success of the retry is trusted',
  'skip-file-sync': 'new files are renamed into place without a sync',
  'skip-folder-sync': 'folders are not synced after a rename',
  'ignore-checksums': 'checksums are not verified',
  'believe-short-writes': 'a short write is treated as complete',
  'keep-torn': 'the partial bytes of a failed write are not truncated',
  'keep-segments': 'obsolete segments of the write-ahead log are not removed',
  'leak-handles': 'files are not closed',
  'drop-damaged': 'damaged and torn lines of the write-ahead log are skipped silently',
  'skip-next': 'an interrupted rotation of the write-ahead log is not finished',
  'drop-out-of-sequence': 'commits out of sequence are skipped silently',
  'slow-sync': 'each sync takes 200 ms longer',
  ...writeOrderBugs,
  ...serviceBugs,
  ...throttleBugs,
  ...diskErrorBugs,
  ...lockBugs,
  ...browserGuardBugs,
} as const;
export type SeededBug = keyof typeof seededBugs;

/** Returns the disk with the bug; without one it returns the disk unchanged. */
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
    case 'skip-next':
      return {
        ...bindDisk(disk),
        list: async (folder) => (await disk.list(folder))?.filter((name) => name !== 'journal.next.jsonl'),
      };
    case 'drop-out-of-sequence':
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

/** Keeps files reachable, so that garbage collection does not close them. */
const leakedFiles: DiskFile[] = [];

function seedFileBug(file: DiskFile, seededBug: string): DiskFile {
  const noop = async () => {};
  const changes: Readonly<Record<string, Partial<DiskFile>>> = {
    'skip-datasync': { syncData: noop },
    'acknowledge-first': { syncData: async () => void setTimeout(20).then(() => file.syncData().catch(noop)) },
    'second-sync-counts': { syncData: () => file.syncData().catch(() => file.syncData()) },
    'skip-file-sync': { sync: noop },
    'believe-short-writes': {
      write: async (bytes, position) => {
        await file.write(bytes, position);
        return bytes.length;
      },
    },
    'keep-torn': { truncate: noop },
    'leak-handles': { close: async () => void leakedFiles.push(file) },
    'slow-sync': { syncData: () => setTimeout(200).then(() => file.syncData()) },
  };
  return { ...bindDiskFile(file), ...changes[seededBug] };
}

function isClosedSegment(path: string): boolean {
  return /^journal\.\d+\.jsonl$/.test(basename(path));
}

const CHECKSUM = /,?\n?"crc32":"[0-9a-f]{8}"\n?\}$/;

/** Recomputes the checksums of the lines, or of the whole checkpoint. */
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

/** Removes the lines of a segment whose sequence number is not the next one. */
function dropOutOfSequence(bytes: Buffer): Buffer {
  let next: number | undefined;
  const lines = bytes
    .toString('latin1')
    .split('\n')
    .filter((line) => {
      const sequence = Number(/^\{"sequence":(\d+)/.exec(line)?.[1] ?? Number.NaN);
      if (Number.isNaN(sequence)) return true;
      const follows = next === undefined || sequence === next;
      if (follows) next = sequence + 1;
      return follows;
    });
  return Buffer.from(lines.join('\n'), 'latin1');
}

/** Removes the lines whose checksum does not match. */
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
