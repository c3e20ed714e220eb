/**
 * npm does not forward signals: SIGTERM to `npm start` ends only npm and its shell. This watches for their end, so that
 * no server stays behind with the port and the store.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const pause = 250;

/** Returns the parent of a process; undefined if it cannot be determined. */
function parentOf(pid) {
  try {
    // /proc/PID/stat: pid (name) state ppid ...; the name may contain spaces and parentheses.
    if (process.platform === 'linux')
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]);
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' })) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Calls `onExit` when npm or its shell has ended. Does nothing if npm did not start this process. */
export function watchParents(onExit, environment = process.env) {
  if (environment.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  // npm runs scripts through a shell, which may stay as a separate process or be replaced by this one (exec).
  const watched = [parentOf(parent)].filter((pid) => pid !== undefined && pid > 1);
  const timer = setInterval(() => {
    if (process.ppid !== parent || !watched.every(isAlive)) onExit();
  }, pause);
  timer.unref();
}
