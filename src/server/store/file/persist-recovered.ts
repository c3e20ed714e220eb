/** After a start: what recovery has read survives a power loss. */
import { type Disk, type DiskFile, isDiskFull, writeAll } from './disk.ts';
import type { Layout } from './layout.ts';
import { readSlices } from './line-reader.ts';
import type { RecoveryResult } from './recovery.ts';

interface PersistDeps {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly recovered: Pick<RecoveryResult, 'wal'>;
}

/** @returns the error of a full disk: a file system that copies on write needs space for it, too. */
export async function tryPersistRecovered(context: PersistDeps, file: DiskFile): Promise<unknown> {
  try {
    await persistRecovered(context, file);
    return undefined;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return error;
  }
}

/**
 * Makes durable what recovery has read. If the process before was killed, the system may have it in memory only. After
 * a failed sync, the system regards pages as written that are not, so the same bytes are written again.
 */
export async function persistRecovered({ disk, layout, recovered }: PersistDeps, file: DiskFile): Promise<void> {
  const source = await disk.openToRead(layout.wal);
  try {
    let position = 0;
    for (const bytes of source ? readSlices(source, { end: recovered.wal.end }) : []) {
      await writeAll(file, bytes, position);
      position += bytes.length;
    }
  } finally {
    await source?.close();
  }
  await file.syncData();
}
