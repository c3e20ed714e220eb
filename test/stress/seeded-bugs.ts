/** Seeded bugs, with which each suite proves that it can fail. They are not part of the product. */
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { AuditSink } from '../../src/server/audit/audit.ts';
import type { Clock } from '../../src/server/lib/clock.ts';
import type { RunningServer } from '../../src/server/listen.ts';
import { type Disk, type DiskFile, writeAll } from '../../src/server/store/file/disk.ts';
import type { FileStore } from '../../src/server/store/file/file-store.ts';
import { toReadableFile } from '../../src/server/store/file/line-reader.ts';
import type { Processes } from '../../src/server/store/file/processes.ts';
import type { Transaction } from '../../src/server/store/store.ts';
import type { TestServer } from '../harness.ts';
import { bindDisk, bindDiskFile } from './disk-methods.ts';

/** Descriptions of the bugs, as `--help` shows them. */
export const seededBugs = {
  'skip-datasync': 'commits are not synced',
  'skip-file-sync': 'new files are renamed into place without a sync',
  'skip-folder-sync': 'folders are not synced after a rename',
  'skip-parent-sync': 'the name of the folder of the store is not synced',
  'skip-late-sync': 'a commit beyond the first MiB of a file is not synced',
  'reject-duplicates-early': 'a duplicate is rejected before the row that it repeats is durable',
  'second-sync-counts': 'a failed sync is retried, and the success of the retry is trusted',
  'swallow-write-errors': 'a failed write is treated as successful',
  'write-later': 'commits are buffered in memory and written shortly after they are acknowledged',
  'slow-sync': 'each sync takes 200 ms longer',
  'leak-handles': 'files are not closed',
  'skip-next': 'an interrupted rotation of the write-ahead log is not finished',
  'ignore-checksums': 'checksums are not verified',
  'drop-damaged': 'damaged and torn lines of the write-ahead log are skipped silently',
  'drop-out-of-sequence': 'commits out of sequence are skipped silently',
  'checkpoint-at-once': 'a checkpoint is encoded and written in one piece, which blocks the event loop',
  'share-store': 'the lock of another process is ignored',
  'hasty-stop': 'a stop ends the process immediately',
  'frozen-clock': 'the clock is read only once, at the start',
  'throttle-by-name': 'failed logins are counted by name only, so that other sources throttle the owner',
  'audit-later': 'audit lines are written shortly after their responses',
  'ignore-origin': 'Origin is not checked',
  'asynchronous-commit': 'PostgreSQL confirms commits before a standby has them',
  'ignore-notice': 'a commit whose wait for a standby was cancelled counts as confirmed',
  'skip-void-mark': 'a commit that left no mark counts as void, without a mark that prevents it',
  'stale-reads': 'a server reads groups again as they were up to 300 ms before',
  'keep-unique-violation': 'transactions that fail with 23505 do not run again',
} as const;
export type SeededBug = keyof typeof seededBugs;

/** Returns the disk with the bug; without one it returns the disk unchanged. */
export function withSeededBug(disk: Disk, seededBug: string | undefined): Disk {
  switch (seededBug) {
    case 'skip-folder-sync':
      return { ...bindDisk(disk), syncFolder: async () => {} };
    case 'skip-parent-sync':
      return { ...bindDisk(disk), syncFolder: (path) => (path === '/' ? Promise.resolve() : disk.syncFolder(path)) };
    case 'ignore-checksums':
      return withReads(disk, restoreChecksums);
    case 'drop-damaged':
      return withReads(disk, (bytes, path) => (basename(path) === 'journal.jsonl' ? dropCorruptLines(bytes) : bytes));
    case 'drop-out-of-sequence':
      return withReads(disk, (bytes, path) =>
        basename(path).startsWith('journal.') ? dropOutOfSequence(bytes) : bytes,
      );
    case 'skip-next':
      return {
        ...bindDisk(disk),
        list: async (folder) => (await disk.list(folder))?.filter((name) => name !== 'journal.next.jsonl'),
      };
    default:
      return seededBug === undefined ? disk : withFiles(disk, seededBug);
  }
}

function withReads(disk: Disk, change: (bytes: Buffer, path: string) => Buffer): Disk {
  return {
    ...bindDisk(disk),
    async read(path) {
      const bytes = await disk.read(path);
      return bytes && change(bytes, path);
    },
    async openToRead(path) {
      const bytes = await disk.read(path);
      return bytes && toReadableFile(change(bytes, path));
    },
  };
}

function withFiles(disk: Disk, seededBug: string): Disk {
  return {
    ...bindDisk(disk),
    async open(path, mode) {
      const file = await disk.open(path, mode);
      return { ...bindDiskFile(file), ...changeFile(file, seededBug, path, mode) };
    },
  };
}

/** Keeps files reachable, so that garbage collection does not close them. */
const leakedFiles: DiskFile[] = [];

function changeFile(file: DiskFile, seededBug: string, path: string, mode: string): Partial<DiskFile> {
  switch (seededBug) {
    case 'skip-datasync':
      return { syncData: async () => {} };
    case 'skip-file-sync':
      return { sync: async () => {} };
    case 'skip-late-sync':
      return skipLateSyncs(file);
    case 'second-sync-counts':
      return { syncData: () => file.syncData().catch(() => file.syncData()) };
    case 'slow-sync':
      return { syncData: () => setTimeout(200).then(() => file.syncData()) };
    case 'swallow-write-errors':
      return { write: (bytes, position) => file.write(bytes, position).catch(() => bytes.length) };
    case 'leak-handles':
      return { close: async () => void leakedFiles.push(file) };
    case 'write-later':
      // Commits go only to files opened with `modify`: a new segment is created under a temporary name.
      return mode === 'modify' ? delayWrites(file) : {};
    case 'checkpoint-at-once':
      return basename(path) === 'iam.json.tmp' ? bufferCheckpoint(file) : {};
    default:
      return {};
  }
}

const MIB = 1024 * 1024;

function skipLateSyncs(file: DiskFile): Partial<DiskFile> {
  let end = 0;
  return {
    write(bytes, position) {
      end = position + bytes.length;
      return file.write(bytes, position);
    },
    syncData: () => (end > MIB ? Promise.resolve() : file.syncData()),
  };
}

/** Long enough for a kill to lose commits; a clean stop loses none, since closing flushes them. */
const LATER_MS = 500;

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
    ...bindDiskFile(file),
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

/** Buffers a checkpoint, then encodes and writes it when it is synced. */
function bufferCheckpoint(file: DiskFile): Partial<DiskFile> {
  const slices: Buffer[] = [];
  return {
    async write(bytes) {
      slices.push(Buffer.from(bytes));
      return bytes.length;
    },
    async sync() {
      const checkpoint = Buffer.concat(slices);
      JSON.stringify(JSON.parse(checkpoint.toString()));
      await writeAll(file, checkpoint, 0);
      await file.sync();
    },
  };
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

/** Returns the store; with `reject-duplicates-early` an error does not wait for what the transaction has read. */
export function seedStoreBug(store: FileStore, seededBug: string | undefined): FileStore {
  if (seededBug !== 'reject-duplicates-early') return store;
  return {
    ...store,
    transaction: (work) =>
      new Promise((resolve, reject) => {
        const seeded = (tx: Transaction) =>
          work(tx).catch((error: unknown) => {
            reject(error);
            throw error;
          });
        store.transaction(seeded).then(resolve, reject);
      }),
  };
}

/** Returns the processes as a server with `share-store` sees them: no holder of a lock is running. */
export function seedProcessBug(processes: Processes, seededBug: string | undefined): Processes {
  if (seededBug !== 'share-store') return processes;
  return { ...processes, kernelLock: async () => 'acquired', isRunning: async () => false };
}

/** Returns the clock, stopped with `frozen-clock`. */
export function seedClockBug(clock: Clock, seededBug: string | undefined): Clock {
  if (seededBug !== 'frozen-clock') return clock;
  const startedAt = clock.now();
  return { now: () => startedAt };
}

/** Returns the sink, which with `audit-later` accepts lines after a delay. */
export function seedAuditBug(sink: AuditSink, seededBug: string | undefined): AuditSink {
  if (seededBug !== 'audit-later') return sink;
  return {
    write: (line) => void setTimeout(LATER_MS, undefined, { ref: false }).then(() => sink.write(line)),
    flush: async () => {},
    health: () => sink.health(),
    close: () => sink.close(),
  };
}

/** Stops a service; with `hasty-stop` it ends the process first. */
export async function stopWithBug(
  service: RunningServer,
  seededBug: string | undefined,
  exit: () => void,
): Promise<void> {
  if (seededBug === 'hasty-stop') exit();
  await service.stop();
}

/** With `throttle-by-name`, makes the throttle of user logins count all sources as one. */
export function seedThrottleBug({ appContext }: TestServer, seededBug: string | undefined): void {
  if (seededBug !== 'throttle-by-name') return;
  const { login } = appContext.throttles;
  const attempt: typeof login.attempt = (each, verify) => login.attempt({ ...each, caller: 'anyone' }, verify);
  Object.assign(appContext, { throttles: { ...appContext.throttles, login: { ...login, attempt } } });
}
