import { chmod, type FileHandle, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { type Disk, type DiskFile, getErrorCode } from './disk.ts';

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const FLAGS = { create: 'wx', replace: 'w', modify: 'r+' } as const;

/** The disk of this machine. */
export const nodeDisk: Disk = {
  async makeFolder(path) {
    await mkdir(path, { mode: OWNER_ONLY_FOLDER }).catch((error: unknown) => {
      // Two processes may make it at the same time: the lock decides between them, not this.
      if (getErrorCode(error) !== 'EEXIST') throw error;
    });
  },
  restrictFolder: (path) => chmod(path, OWNER_ONLY_FOLDER),
  list: (folder) => unlessMissing(readdir(folder)),
  async identify(folder) {
    const { dev, ino } = await stat(folder, { bigint: true });
    return `${dev}:${ino}`;
  },
  read: (path) => unlessMissing(readFile(path)),
  async open(path, mode) {
    const handle = await open(path, FLAGS[mode], OWNER_ONLY_FILE);
    try {
      // The umask may have taken rights from the owner, or the file may be one that was left behind with other rights.
      if (mode !== 'modify') await handle.chmod(OWNER_ONLY_FILE);
      return nodeFile(handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  },
  rename,
  remove: unlink,
  async syncFolder(path) {
    const handle = await open(path, 'r');
    try {
      await handle.sync().catch((error: unknown) => {
        // Windows does not let folders be synced.
        if (getErrorCode(error) !== 'EPERM') throw error;
      });
    } finally {
      await handle.close();
    }
  },
};

function nodeFile(handle: FileHandle): DiskFile {
  return {
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    truncate: (size) => handle.truncate(size),
    syncData: () => handle.datasync(),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

async function unlessMissing<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
