import { type BigIntStats, readSync, statSync } from 'node:fs';
import {
  chmod,
  constants,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import { type Disk, type DiskFile, getErrorCode, type OpenMode } from './disk.ts';

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const FLAGS = {
  create: 'wx',
  replace: 'w',
  modify: 'r+',
  ensure: constants.O_RDWR | constants.O_CREAT,
  read: 'r',
} as const;
const CREATING: readonly OpenMode[] = ['create', 'replace', 'ensure'];

/** The file system of this machine. */
export const nodeDisk: Disk = {
  async makeFolder(path) {
    await mkdir(path, { mode: OWNER_ONLY_FOLDER }).catch((error: unknown) => {
      // Two processes may create it at the same time; the lock decides which one opens the store.
      if (getErrorCode(error) !== 'EEXIST') throw error;
    });
  },
  async restrictFolder(path) {
    await chmod(path, OWNER_ONLY_FOLDER).catch((error: unknown) => {
      // A volume that root made for this process: only its owner can change its mode.
      if (getErrorCode(error) !== 'EPERM') throw error;
    });
  },
  list: (folder) => unlessMissing(readdir(folder)),
  async identify(path) {
    const found = await unlessMissing(stat(path, { bigint: true }));
    return found && formatIdentifier(found);
  },
  identifyNow(path) {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && formatIdentifier(found);
  },
  read: (path) => unlessMissing(readFile(path)),
  async openToRead(path) {
    const handle = await unlessMissing(open(path, 'r'));
    if (handle === undefined) return undefined;
    try {
      const { size } = await handle.stat();
      return {
        size,
        readAt: (bytes, position) => readSync(handle.fd, bytes, 0, bytes.length, position),
        close: () => handle.close(),
      };
    } catch (error) {
      await handle.close();
      throw error;
    }
  },
  async open(path, mode) {
    const handle = await open(path, FLAGS[mode], OWNER_ONLY_FILE);
    try {
      // The umask or an existing file may have other permissions.
      if (CREATING.includes(mode)) await handle.chmod(OWNER_ONLY_FILE);
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
        // Windows does not support syncing folders.
        if (getErrorCode(error) !== 'EPERM') throw error;
      });
    } finally {
      await handle.close();
    }
  },
};

function nodeFile(handle: FileHandle): DiskFile {
  return {
    fd: handle.fd,
    identify: async () => formatIdentifier(await handle.stat({ bigint: true })),
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    truncate: (size) => handle.truncate(size),
    syncData: () => handle.datasync(),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

function formatIdentifier({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

async function unlessMissing<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
