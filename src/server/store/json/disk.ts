/**
 * All that the file engine asks of a file system, and nothing besides. Tests put a disk in its place that fails,
 * tears and forgets on demand.
 */

export interface DiskFile {
  /** Writes at `position` and says how many bytes it wrote, which may be fewer than were given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  truncate(size: number): Promise<void>;
  /** Resolves when the contents would survive a power loss. */
  syncData(): Promise<void>;
  /** As `syncData`, with everything else that belongs to the file. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface Disk {
  /** Makes one folder that only its owner may enter. */
  makeFolder(path: string): Promise<void>;
  /** Takes the rights of everybody but the owner away from a folder. */
  restrictFolder(path: string): Promise<void>;
  /** The names in a folder; undefined where there is no such folder. */
  list(folder: string): Promise<readonly string[] | undefined>;
  /** A name for the folder that is the same by whatever path it is reached. */
  identify(folder: string): Promise<string>;
  /** The contents of a file; undefined where there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  /**
   * 'create' fails with EEXIST where the file exists, 'replace' empties it, 'modify' leaves its contents.
   * Files that are made can be read and written by their owner only.
   */
  open(path: string, mode: 'create' | 'replace' | 'modify'): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves when the names in the folder would survive a power loss. */
  syncFolder(path: string): Promise<void>;
}

/** The code of a system error, such as ENOSPC. */
export function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the disk is merely full: the one failure that goes away by itself. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(getErrorCode(error) ?? '');
}

/**
 * Whether a sync failed for good. What the system then still has in memory, and what it lost, nobody can tell: a
 * second sync may succeed and mean nothing.
 */
export function isFailedSync(error: unknown): boolean {
  if (!(error instanceof Error) || !('syscall' in error) || isDiskFull(error)) return false;
  return error.syscall === 'fsync' || error.syscall === 'fdatasync';
}

/** Writes all of it, however little each write takes. */
export async function writeAll(file: DiskFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const written = await file.write(bytes.subarray(done), position + done);
    if (written <= 0) throw new Error('The disk takes no more bytes and does not say why.');
    done += written;
  }
}

/** Writes a whole file and makes its contents durable; its name is durable only after the folder is synced. */
export async function writeFile(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(path, 'replace');
  try {
    await writeAll(file, bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Puts a file in the place of another one, so that a crash leaves either the old or the new one, whole. */
export async function replaceFileAtomically(
  disk: Disk,
  folder: string,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  await writeFile(disk, `${path}.tmp`, bytes);
  await disk.rename(`${path}.tmp`, path);
  await disk.syncFolder(folder);
}
