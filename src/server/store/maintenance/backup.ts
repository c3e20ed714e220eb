/** Backups: a checkpoint in a separate file. It contains the keys of the server, so store it as securely as them. */

import { type Checkpoint, checkpointSlices, countTableRows, decodeCheckpoint } from '../file/checkpoint-format.ts';
import { listRows } from '../file/checkpointer.ts';
import type { Disk } from '../file/disk.ts';
import type { Layout } from '../file/layout.ts';
import { StoreOpenError } from '../file/open-error.ts';
import { inspect } from '../file/recovery.ts';

/** Metadata of a backup. */
export interface BackupInfo {
  /** The sequence of the last commit it contains. */
  readonly sequence: number;
  readonly writtenAt: string;
  readonly bytes: number;
  /** Row counts by table. */
  readonly tables: Readonly<Record<string, number>>;
}

type Rows = Pick<Checkpoint, 'sequence' | 'tables'>;

/** Encodes a consistent dump as a backup. */
export function createBackup({ sequence, tables }: Rows, writtenAt: string): Generator<Buffer> {
  // Sequence 0 would mark a restored store as fresh, so it is at least 1.
  return checkpointSlices({ sequence: Math.max(1, sequence), epoch: 1, writtenAt, tables });
}

/** Backs up a closed store from its files, without changing them. @throws StoreOpenError. */
export async function createBackupFromFiles(disk: Disk, layout: Layout, writtenAt: string): Promise<Generator<Buffer>> {
  const { recovered } = await inspect(disk, layout);
  return createBackup({ sequence: recovered.sequence, tables: listRows(recovered.base) }, writtenAt);
}

/** Reads a backup. @throws StoreOpenError 'damaged' with the offset, 'newer-format', 'io' if the file does not exist. */
export async function readBackup(disk: Disk, file: string): Promise<{ bytes: Buffer; info: BackupInfo }> {
  const bytes = await disk.read(file);
  if (bytes === undefined) throw new StoreOpenError('io', `${file}: file not found.`, { file });
  return { bytes, info: readBackupInfo(file, bytes) };
}

/** Decodes the metadata of a backup. @throws StoreOpenError as `readBackup` does. */
export function readBackupInfo(file: string, bytes: Buffer): BackupInfo {
  const { sequence, writtenAt, tables } = decode(file, bytes);
  return { sequence, writtenAt, bytes: bytes.length, tables: countTableRows(tables) };
}

function decode(file: string, bytes: Buffer): Checkpoint {
  try {
    return decodeCheckpoint(file, bytes);
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.kind !== 'damaged') throw error;
    const message = `${file}: ${error.what} (byte ${error.offset}). Nothing was changed. Use another backup.`;
    throw new StoreOpenError('damaged', message, { file, offset: error.offset, what: error.what });
  }
}
