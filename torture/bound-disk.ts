/** Disks that are built upon others. */
import type { Disk } from '../src/server/store/json/disk.ts';

/** The methods of a disk that may be an object of a class. */
export function bound(disk: Disk): Disk {
  return {
    makeFolder: (path) => disk.makeFolder(path),
    restrictFolder: (path) => disk.restrictFolder(path),
    list: (folder) => disk.list(folder),
    identify: (folder) => disk.identify(folder),
    read: (path) => disk.read(path),
    open: (path, mode) => disk.open(path, mode),
    rename: (from, to) => disk.rename(from, to),
    remove: (path) => disk.remove(path),
    syncFolder: (path) => disk.syncFolder(path),
  };
}
