/** Backups: a checkpoint in a separate file. It contains the keys of the server, so store it as securely as them. */

import {
  type Checkpoint,
  checkpointSlices,
  countTableRows,
  decodeCheckpoint,
  listRows,
} from '../file/checkpoint-format.ts';
import { type Disk, getErrorCode, type ReadableFile } from '../file/disk.ts';
import type { Layout } from '../file/layout.ts';
import { inspect, loadRows } from '../file/recovery.ts';
import { StoreOpenError } from '../open-error.ts';

export interface BackupInfo {
  /** The sequence of the last commit it contains. */
  readonly sequence: number;
  readonly writtenAt: string;
  readonly bytes: number;
  /** Row counts by table. */
  readonly tables: Readonly<Record<string, number>>;
}

/** A backup to write, of any size. */
export interface Backup {
  readonly info: Omit<BackupInfo, 'bytes'>;
  readonly slices: Iterable<Uint8Array>;
}

type Rows = Pick<Checkpoint, 'sequence' | 'tables'>;

/** Encodes a consistent dump as a backup. */
export function createBackup({ sequence, tables }: Rows, writtenAt: string): Generator<Buffer> {
  // Sequence 0 would mark a restored store as fresh, so it is at least 1.
  return checkpointSlices({ sequence: Math.max(1, sequence), epoch: 1, writtenAt, tables });
}

/** Backs up a closed store from its files, without changing them. @throws StoreOpenError. */
export async function createBackupFromFiles(disk: Disk, layout: Layout, writtenAt: string): Promise<Backup> {
  const { recovered } = await inspect(disk, layout);
  const tables = listRows(recovered.base);
  const sequence = Math.max(1, recovered.sequence);
  return {
    info: { sequence, writtenAt, tables: countTableRows(tables) },
    slices: createBackup({ sequence, tables: listRows(recovered.base) }, writtenAt),
  };
}

export interface LoadedBackup {
  readonly info: BackupInfo;
  /** In memory: the file can change. */
  readonly contents: Checkpoint;
}

/**
 * Reads a backup.
 * @throws StoreOpenError 'damaged' with the offset, 'newer-format', 'no-backup' if there is no file at this path.
 */
export async function readBackup(disk: Disk, file: string): Promise<LoadedBackup> {
  const opened = await disk.openToRead(file);
  if (opened === undefined) throw createNoBackupError(file, 'file not found');
  try {
    const contents = decode(file, opened, ({ tables }) => loadRows(file, tables));
    return { info: toInfo(contents, opened), contents };
  } finally {
    await opened.close();
  }
}

/** Decodes the metadata of a backup. @throws StoreOpenError as `readBackup` does. */
export function readBackupInfo(file: string, contents: ReadableFile): BackupInfo {
  return toInfo(decode(file, contents), contents);
}

function toInfo({ sequence, writtenAt, tables }: Checkpoint, contents: ReadableFile): BackupInfo {
  return { sequence, writtenAt, bytes: contents.size, tables: countTableRows(tables) };
}

function createNoBackupError(file: string, reason: string): StoreOpenError {
  return new StoreOpenError('no-backup', `${file}: ${reason}. Name the file of a backup.`, { file });
}

function decode(file: string, contents: ReadableFile, check?: (checkpoint: Checkpoint) => void): Checkpoint {
  try {
    const checkpoint = decodeCheckpoint(file, contents);
    check?.(checkpoint);
    return checkpoint;
  } catch (error) {
    if (getErrorCode(error) === 'EISDIR') throw createNoBackupError(file, 'it is a folder');
    if (!(error instanceof StoreOpenError) || error.kind !== 'damaged') throw error;
    const message = `${file}: ${error.what} (byte ${error.offset}). Nothing was changed. Use another backup.`;
    throw new StoreOpenError('damaged', message, { file, offset: error.offset, what: error.what });
  }
}
