/** Detects whether an open file was replaced or removed. */
import type { Disk, DiskFile } from './disk.ts';

/** An open file, and the name and identifier that it had when it was opened. */
export interface WatchedFile {
  readonly path: string;
  readonly file: DiskFile;
  readonly identifier: string;
}

export async function watchFile(path: string, file: DiskFile): Promise<WatchedFile> {
  return { path, file, identifier: await file.identify() };
}

/** Returns whether the name still belongs to the open file. */
export async function isInPlace(disk: Disk, { path, file, identifier }: WatchedFile): Promise<boolean> {
  const found = await disk.identify(path);
  // Some file systems change the identifiers of open files; the open file has the current one.
  return found !== undefined && (found === identifier || found === (await file.identify()));
}

/** As `isInPlace`, right after a sync. False does not mean that the file was replaced: then ask `isInPlace`. */
export function isInPlaceNow(disk: Disk, { path, identifier }: WatchedFile): boolean {
  return disk.identifyNow(path) === identifier;
}

/**
 * Returns whether the file system identifies one file in the same way each time: some FUSE and SMB file systems invent
 * identifiers.
 */
export async function hasStableIdentifiers(disk: Disk, { path, file, identifier }: WatchedFile): Promise<boolean> {
  const again = await disk.open(path, 'read');
  try {
    const found = [await disk.identify(path), await file.identify(), await again.identify(), await disk.identify(path)];
    return found.every((one) => one === identifier);
  } finally {
    await again.close();
  }
}
