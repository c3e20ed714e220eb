/** Files with secrets, created with owner-only access and replaced atomically. */
import { type FileHandle, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { maxTextBytes, readTextFileSync } from '../../lib/text-file.ts';
import { usageError } from '../errors.ts';
import { unreadableFileError, unwritableFileError } from './file-errors.ts';

/**
 * Writes a temporary file, flushes it and renames it. Creates the folder with owner-only access.
 * @param keepsOwner whether root leaves the file to its owner, who must be trusted
 * @throws CliError that names the file, for an error of the file system
 */
export async function replacePrivateFile(file: string, text: string, keepsOwner = false): Promise<void> {
  // Each command loads this file, and few write one.
  const { randomUUID } = await import('node:crypto');
  const temporary = `${file}.${randomUUID()}`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await createPrivateFile(temporary, text, keepsOwner ? await findOtherOwner(file) : undefined);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritableFileError(file, error);
  }
  await flushFolder(path.dirname(file));
}

/** What root writes for another user, as with sudo and the home folder of the user, stays readable for that user. */
async function findOtherOwner(file: string): Promise<Owner | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = await lstat(file).catch(() => undefined);
  return owner?.uid === 0 ? undefined : owner;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Creates a new file with owner-only access. Rejects with EEXIST if it exists.
 * @param owner gets the open file: in a folder of that user, its name can refer to another one by now
 */
export async function createPrivateFile(file: string, text: string, owner?: Owner): Promise<void> {
  const handle = await openPrivateFile(file);
  try {
    await handle.writeFile(text, 'utf8');
    if (owner) await handle.chown(owner.uid, owner.gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * As `createPrivateFile`, for what is written later: to the open file, as others may have replaced its name in a folder
 * that they can write.
 */
export function openPrivateFile(file: string): Promise<FileHandle> {
  return open(file, 'wx', 0o600);
}

/** Makes the names of new files in a folder durable. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  // Windows cannot open a folder to flush it.
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Reads the text of a file; undefined if it does not exist. @throws CliError (exit 2) if it cannot be read */
export async function readFileIfExists(file: string): Promise<string | undefined> {
  try {
    // Synchronous: every command reads its profile, and loading fs/promises takes longer than the read.
    return readTextFileSync(file, maxTextBytes);
  } catch (error) {
    // ENOTDIR: a component of the path is a file.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw unreadableFileError(file, error);
  }
}

const lockRetryMs = 50;
const lockMaxAttempts = 100;
const lockHeartbeatMs = 1_000;
/** What a lock file contains once its holder has refreshed it. */
const lockText = '.';

/** How long to wait for a running holder of a lock. */
export interface LockLimit {
  readonly milliseconds: number;
  /** Creates the error after that time. */
  createError(): Error;
}

/** Runs `work` while holding a lock file. A stale lock is replaced after 5 s. Waits for a running holder, by default without limit. */
export async function withFileLock<Result>(
  lockFile: string,
  work: () => Promise<Result>,
  limit?: LockLimit,
): Promise<Result> {
  let lock: FileHandle;
  try {
    await mkdir(path.dirname(lockFile), { recursive: true, mode: 0o700 });
    lock = await acquireLock(lockFile, limit);
  } catch (error) {
    throw unwritableFileError(lockFile.replace(/\.lock$/, ''), error);
  }
  // Long work refreshes the lock, so that it does not become stale: the open file, as others may have replaced its name.
  let refreshed: Promise<unknown> = Promise.resolve();
  const refresh = () => {
    refreshed = lock.write(lockText, 0).catch(() => undefined);
  };
  const beat = setInterval(refresh, lockHeartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await refreshed;
    await lock.close();
    await removeLock(lockFile);
  }
}

async function acquireLock(lockFile: string, limit?: LockLimit): Promise<FileHandle> {
  let [seen, isRunning] = ['', false];
  for (let [waited, total] = [0, 0]; ; waited += 1, total += lockRetryMs) {
    const lock = await tryAcquireLock(lockFile);
    if (lock) return lock;
    const holder = await readLockIdentity(lockFile);
    if (holder !== seen) {
      isRunning ||= seen !== '';
      [seen, waited] = [holder, 0];
    }
    if (limit && isRunning && holder !== '' && total >= limit.milliseconds) throw limit.createError();
    if (waited >= lockMaxAttempts) await removeLock(lockFile);
    await pause(lockRetryMs);
  }
}

/** @throws CliError if it belongs to another user, in a sticky folder */
async function removeLock(lockFile: string): Promise<void> {
  await unlink(lockFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return;
    if (error.code !== 'EPERM' && error.code !== 'EACCES') throw error;
    throw usageError(
      `${lockFile} is left from another user, and cannot be removed.`,
      'Name another file, or ask its owner.',
    );
  });
}

async function tryAcquireLock(lockFile: string): Promise<FileHandle | undefined> {
  try {
    return await openPrivateFile(lockFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

/**
 * Identifies a lock file among successive files of the same name.
 * @throws CliError for another file, which must not be removed as stale: `yarn.lock` for a resume log `yarn`
 */
async function readLockIdentity(lockFile: string): Promise<string> {
  const found = await lstat(lockFile).catch(() => undefined);
  if (found && (!found.isFile() || found.size > lockText.length))
    throw usageError(`${lockFile} exists and is no lock of this command.`, 'Move it, or name another file.');
  return found ? `${found.ino}:${found.mtimeMs}` : '';
}
