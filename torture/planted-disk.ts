/** Defects of the kinds that lose data, between the store and its disk: each shows that some suite finds its kind. */
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Disk, DiskFile } from '../src/server/store/json/disk.ts';
import { bound, boundFile } from './bound.ts';
import { browserPlants } from './hostile/browser-cases.ts';
import { lockPlants } from './planted-locks.ts';
import { orderPlants, withOrder } from './planted-order.ts';
import { refusalPlants, withRefusals } from './planted-refusals.ts';
import { servicePlants } from './planted-service.ts';
import { throttlePlants } from './planted-throttles.ts';

/** What each defect does, in the words of `--help`. */
export const plants = {
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
  ...orderPlants,
  ...servicePlants,
  ...throttlePlants,
  ...refusalPlants,
  ...lockPlants,
  ...browserPlants,
} as const;
export type Plant = keyof typeof plants;

/** The disk with a defect; without one it is the disk itself. */
export function planted(disk: Disk, plant: string | undefined): Disk {
  switch (plant) {
    case 'skip-folder-sync':
      return { ...bound(disk), syncFolder: async () => {} };
    case 'keep-segments':
      return { ...bound(disk), remove: async (path) => (isClosedSegment(path) ? undefined : disk.remove(path)) };
    case 'ignore-checksums':
      return withReads(disk, (bytes) => resealed(bytes));
    case 'drop-damaged':
      return withReads(disk, (bytes, path) => (basename(path) === 'journal.jsonl' ? readable(bytes) : bytes));
    case 'forget-next':
      return {
        ...bound(disk),
        list: async (folder) => (await disk.list(folder))?.filter((name) => name !== 'journal.next.jsonl'),
      };
    case 'drop-strangers':
      return withReads(disk, (bytes, path) => (basename(path).startsWith('journal.') ? followed(bytes) : bytes));
    case 'share-store':
      return {
        ...bound(disk),
        open: (path, mode) => disk.open(path, basename(path) === 'iam.lock' && mode === 'create' ? 'replace' : mode),
      };
    case undefined:
      return disk;
    default:
      return withFiles(withOrder(withRefusals(disk, plant), plant), plant);
  }
}

function withReads(disk: Disk, change: (bytes: Buffer, path: string) => Buffer): Disk {
  return {
    ...bound(disk),
    async read(path) {
      const bytes = await disk.read(path);
      return bytes && change(bytes, path);
    },
  };
}

function withFiles(disk: Disk, plant: string): Disk {
  return {
    ...bound(disk),
    open: async (path, mode) => ({ ...(await plantedFile(await disk.open(path, mode), plant)) }),
  };
}

/** What is kept here is not closed by the collector of garbage either. */
const leaked: DiskFile[] = [];

function plantedFile(file: DiskFile, plant: string): DiskFile {
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
    'leak-handles': { close: async () => void leaked.push(file) },
    'slow-sync': { syncData: () => setTimeout(200).then(() => file.syncData()) },
  };
  return { ...boundFile(file), ...changes[plant] };
}

function isClosedSegment(path: string): boolean {
  return /^journal\.\d+\.jsonl$/.test(basename(path));
}

const SEAL = /,?\n?"crc32":"[0-9a-f]{8}"\n?\}$/;

/** The lines, or the whole checkpoint, with the checksums that they should have. */
function resealed(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  if (text.startsWith('{\n')) return Buffer.from(resealedText(text.slice(0, -1), '\n') + text.slice(-1), 'latin1');
  return Buffer.from(
    text
      .split('\n')
      .map((line) => resealedText(line, ''))
      .join('\n'),
    'latin1',
  );
}

function resealedText(text: string, newline: string): string {
  const found = SEAL.exec(text);
  if (found === null) return text;
  const before = newline === '' ? text.slice(0, found.index) : text.slice(0, text.lastIndexOf('"crc32"'));
  const crc = crc32(Buffer.from(before, 'latin1')).toString(16).padStart(8, '0');
  return newline === '' ? `${before},"crc32":"${crc}"}` : `${before}"crc32":"${crc}"\n}`;
}

/** The lines of a segment without those whose number is not the next one. */
function followed(bytes: Buffer): Buffer {
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
function readable(bytes: Buffer): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  return Buffer.from(
    lines
      .filter((line) => line !== '' && resealedText(line, '') === line && SEAL.test(line))
      .map((line) => `${line}\n`)
      .join(''),
    'latin1',
  );
}
