/** Files that hold secrets: private from their first byte, and replaced whole or not at all. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Writes beside the file, flushes, and renames over it. The folder is made, open to nobody else. */
export async function replacePrivateFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  try {
    await createPrivateFile(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(path.dirname(file));
}

/** Makes a file that was not there, readable by its owner alone. */
export async function createPrivateFile(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text, 'utf8');
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  // Windows can't open a folder; the rename is as durable there as it gets.
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** The text of a file, or nothing where there is none. */
export async function readFileIfExists(file: string): Promise<string | undefined> {
  try {
    // Every command looks for its profile, and loading the promises of the file system takes longer than that.
    return readFileSync(file, 'utf8');
  } catch (error) {
    // Below what is a file there can be none either.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

const lockRetryMs = 50;
const lockMaxAttempts = 100;
const lockHeartbeatMs = 1_000;

/** Runs `work` while no other process runs its own under the same lock file. A lock left behind is taken over after 5 s. */
export async function withFileLock<Result>(lockFile: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(path.dirname(lockFile), { recursive: true, mode: 0o700 });
  await acquireLock(lockFile);
  // Work that takes long shows that it still goes on.
  const beat = setInterval(() => void touch(lockFile), lockHeartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await rm(lockFile, { force: true });
  }
}

/** Moves the time of its last change, where it is still there. */
async function touch(lockFile: string): Promise<void> {
  await writeFile(lockFile, '.', { flag: 'r+' }).catch(() => undefined);
}

async function acquireLock(lockFile: string): Promise<void> {
  let seen = '';
  for (let waited = 0; ; waited += 1) {
    if (await tryAcquireLock(lockFile)) return;
    const holder = await readLockIdentity(lockFile);
    if (holder !== seen) [seen, waited] = [holder, 0];
    if (waited >= lockMaxAttempts) await rm(lockFile, { force: true });
    await pause(lockRetryMs);
  }
}

async function tryAcquireLock(lockFile: string): Promise<boolean> {
  try {
    await (await open(lockFile, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Tells one lock file from the next of the same name. */
async function readLockIdentity(lockFile: string): Promise<string> {
  const found = await stat(lockFile).catch(() => undefined);
  return found ? `${found.ino}:${found.mtimeMs}` : '';
}
