/** Backups: the text of a checkpoint, by itself in a file. It holds the keys of the server, so it is as secret as they are. */

import { type Checkpoint, checkpointSlices, countTableRows, decodeCheckpoint } from './checkpoint-format.ts';
import { listRows } from './checkpointer.ts';
import type { Disk } from './disk.ts';
import type { Layout } from './layout.ts';
import { StoreOpenError } from './open-error.ts';
import { inspect } from './recovery.ts';

/** What a backup holds, in figures. */
export interface BackupInfo {
  /** The commit after which it was taken. */
  readonly sequence: number;
  readonly writtenAt: string;
  readonly bytes: number;
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
}

type Rows = Pick<Checkpoint, 'sequence' | 'tables'>;

/** A backup of rows as they are at one moment. */
export function createBackup({ sequence, tables }: Rows, writtenAt: string): Generator<Buffer> {
  // A restored store is a history of its own, and one that was written to, whatever the engine counted.
  return checkpointSlices({ sequence: Math.max(1, sequence), epoch: 1, writtenAt, tables });
}

/** A backup of a store that nobody has open, read from its files, which stay as they are. @throws StoreOpenError. */
export async function createBackupFromFiles(disk: Disk, layout: Layout, writtenAt: string): Promise<Generator<Buffer>> {
  const { recovered } = await inspect(disk, layout);
  return createBackup({ sequence: recovered.sequence, tables: listRows(recovered.base) }, writtenAt);
}

/** Reads a backup. @throws StoreOpenError 'damaged' with the place, 'newer-format', 'io' where there is no such file. */
export async function readBackup(disk: Disk, file: string): Promise<{ bytes: Buffer; info: BackupInfo }> {
  const bytes = await disk.read(file);
  if (bytes === undefined) throw new StoreOpenError('io', `${file}: there is no such file.`, { file });
  return { bytes, info: readBackupInfo(file, bytes) };
}

/** What bytes that are to be a backup hold. @throws StoreOpenError as `readBackup` does. */
export function readBackupInfo(file: string, bytes: Buffer): BackupInfo {
  const { sequence, writtenAt, tables } = decode(file, bytes);
  return { sequence, writtenAt, bytes: bytes.length, tables: countTableRows(tables) };
}

function decode(file: string, bytes: Buffer): Checkpoint {
  try {
    return decodeCheckpoint(file, bytes);
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.kind !== 'damaged') throw error;
    const message = `${file}: ${error.what} (byte ${error.offset}). Nothing was changed. Take another backup.`;
    throw new StoreOpenError('damaged', message, { file, offset: error.offset, what: error.what });
  }
}
