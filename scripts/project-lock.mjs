/**
 * The lock of this clone for what installs packages or builds: npm and the build delete files that another one is writing.
 * Its file lists the processes that hold it, and is stale when all of them have ended.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { startOf } from './processes.mjs';
import { root } from './root.mjs';

const lockFile = path.join(root, '.lock');
const pollMs = 250;
/** A file that its process has created, but not written. */
const maxEmptyMs = 5000;

/**
 * Runs `work` while no other process does, with a function that adds a process as a holder: what `work` has started can
 * outlive this process. Waits for other processes and says which one it is.
 */
export async function withProjectLock(work) {
  let reported;
  while (!acquire()) {
    const [holder] = readHolders()?.filter(isRunning) ?? [];
    if (holder && holder.pid !== reported) {
      process.stderr.write(`Waiting for process ${holder.pid}, which installs packages or builds in this folder ...\n`);
      reported = holder.pid;
    }
    if (isStale()) removeStale();
    else await pause(pollMs);
  }
  try {
    return await work((pid) => write([process.pid, pid]));
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function acquire() {
  try {
    write([process.pid], { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function write(pids, options) {
  writeFileSync(lockFile, JSON.stringify(pids.map((pid) => ({ pid, startedAt: startOf(pid) }))), options);
}

/** Returns undefined without a file, or while its process writes it. */
function readHolders(file = lockFile) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const isRunning = ({ pid, startedAt }) => startedAt !== undefined && startOf(pid) === startedAt;

function isStale(file = lockFile) {
  const holders = readHolders(file);
  if (holders !== undefined) return !holders.some(isRunning);
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > maxEmptyMs;
}

/** Of several processes that wait, one moves the file; it puts a lock back that another one has just acquired. */
function removeStale() {
  const moved = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, moved);
  } catch {
    return;
  }
  if (isStale(moved)) rmSync(moved);
  else renameSync(moved, lockFile);
}
