/**
 * The file system interface of the file engine. Tests replace it with a disk that fails, tears writes and loses
 * unsynced data on demand.
 */
import { types } from 'node:util';

export interface DiskFile {
  /** The file descriptor, for the kernel lock. */
  readonly fd: number;
  /** Returns the identifier of the open file, whatever its name is now. */
  identify(): Promise<string>;
  /** Writes at `position`. @returns the number of bytes written, which may be fewer than requested. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  truncate(size: number): Promise<void>;
  /** Resolves once the contents survive a power loss (fdatasync). */
  syncData(): Promise<void>;
  /** As `syncData`, including metadata (fsync). */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** An open file. Reading blocks, as a store is read while it serves no requests, and line by line. */
export interface ReadableFile {
  /** The size when it was opened. */
  readonly size: number;
  /** @returns the number of bytes read, which may be fewer than requested; 0 at the end. */
  readAt(bytes: Uint8Array, position: number): number;
  close(): Promise<void>;
}

export type OpenMode = 'create' | 'replace' | 'modify' | 'ensure' | 'read';

export interface Disk {
  /** Creates one folder, accessible to its owner only. */
  makeFolder(path: string): Promise<void>;
  /** Restricts a folder to its owner. */
  restrictFolder(path: string): Promise<void>;
  /** Lists the names in a folder; undefined if it does not exist. */
  list(folder: string): Promise<readonly string[] | undefined>;
  /** Returns the identifier of the file of this name, which does not depend on the name; undefined if it does not exist. */
  identify(path: string): Promise<string | undefined>;
  /**
   * The same at once, at a tenth of the cost. Only right after the disk has responded, because it blocks while the disk
   * does not.
   */
  identifyNow(path: string): string | undefined;
  /** Reads a small file; undefined if it does not exist. */
  read(path: string): Promise<Buffer | undefined>;
  /** Opens a file of any size to read it in pieces; undefined if it does not exist. */
  openToRead(path: string): Promise<ReadableFile | undefined>;
  /**
   * 'create' fails with EEXIST if the file exists, 'replace' truncates it, 'modify' and 'ensure' retain its contents, and
   * 'ensure' creates it if it does not exist. 'read' permits no writes.
   * New files are accessible to their owner only.
   */
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves once the names in the folder survive a power loss. */
  syncFolder(path: string): Promise<void>;
}

/** The code of a system error, such as ENOSPC. */
export function getErrorCode(error: unknown): string | undefined {
  if (!types.isNativeError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const temporaryCodes = new Set([
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EACCES',
  'EPERM',
  'EAGAIN',
  'EINTR',
  'EBUSY',
]);

/**
 * Whether an operation failed for want of something, such as space, descriptors or a permission, so that repeating it is
 * safe. A failed sync is never temporary, whatever its code.
 */
export function isTemporaryFailure(error: unknown): boolean {
  return temporaryCodes.has(getErrorCode(error) ?? '') && !isSync(error);
}

export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(getErrorCode(error) ?? '');
}

/**
 * Whether a sync failed permanently. The kernel may have dropped the dirty pages, so that a second sync succeeds although
 * the data is lost.
 */
export function isFailedSync(error: unknown): boolean {
  return isSync(error) && !isDiskFull(error);
}

function isSync(error: unknown): boolean {
  return types.isNativeError(error) && 'syscall' in error && ['fsync', 'fdatasync'].includes(String(error.syscall));
}

/** Writes all bytes, with as many partial writes as needed. */
export async function writeAll(file: DiskFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const written = await file.write(bytes.subarray(done), position + done);
    if (written <= 0) throw new Error('The disk wrote no bytes and reported no error.');
    done += written;
  }
}

/** Writes a file and syncs it; its name is durable only after the folder is synced. */
export async function writeFile(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  await writeSlices(disk, path, [bytes]);
}

/**
 * As `writeFile`, slice by slice; a file that could not be written is removed. @returns the length in bytes.
 * @param mode 'create' outside of the folder of the store, where others may have prepared a file of this name
 */
export async function writeTemporaryFile(
  disk: Disk,
  path: string,
  slices: Iterable<Uint8Array>,
  mode: 'replace' | 'create' = 'replace',
): Promise<number> {
  try {
    return await writeSlices(disk, path, slices, mode);
  } catch (error) {
    await disk.remove(path).catch(() => {});
    throw error;
  }
}

/**
 * Bytes of a long file between two syncs. A sync of another file waits until the disk has written these: in one piece, a
 * checkpoint of 300 MB held up each commit for 0.7 seconds.
 */
const syncInterval = 4 * 1024 * 1024;

async function writeSlices(
  disk: Disk,
  path: string,
  slices: Iterable<Uint8Array>,
  mode: 'replace' | 'create' = 'replace',
): Promise<number> {
  const file = await disk.open(path, mode);
  try {
    let size = 0;
    let synced = 0;
    for (const bytes of slices) {
      await writeAll(file, bytes, size);
      size += bytes.length;
      if (size - synced < syncInterval) continue;
      await file.syncData();
      synced = size;
    }
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

/** Replaces a file atomically: a crash leaves either the old or the new contents. */
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
