/** Copies a disk or a file into a plain object with bound methods, so that single methods can be overridden. */
import type { Disk, DiskFile } from '../../src/server/store/file/disk.ts';

/** Returns the bound methods of a disk. */
export function bindDisk(disk: Disk): Disk {
  return {
    makeFolder: (path) => disk.makeFolder(path),
    restrictFolder: (path) => disk.restrictFolder(path),
    list: (folder) => disk.list(folder),
    identify: (path) => disk.identify(path),
    identifyNow: (path) => disk.identifyNow(path),
    read: (path) => disk.read(path),
    openToRead: (path) => disk.openToRead(path),
    open: (path, mode) => disk.open(path, mode),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    syncFolder: (path) => disk.syncFolder(path),
  };
}

/** Returns the bound methods of a file. */
export function bindDiskFile(file: DiskFile): DiskFile {
  return {
    fd: file.fd,
    identify: () => file.identify(),
    write: (bytes, position) => file.write(bytes, position),
    truncate: (size) => file.truncate(size),
    syncData: () => file.syncData(),
    sync: () => file.sync(),
    close: () => file.close(),
  };
}
