/**
 * npm does not pass on that it was ended: SIGTERM to `npm start` ends npm, and the shell it put between, alone. This
 * watches for that, so that no server is left behind holding the port and the store.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const pause = 250;

/** The parent of a process; undefined where that can't be told. */
function parentOf(pid) {
  try {
    // /proc/PID/stat: pid (name) state ppid ...; the name may hold blanks and brackets.
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

/** Calls `onGone` once npm, or the shell between, is gone. Does nothing where npm did not start this process. */
export function watchParents(onGone, environment = process.env) {
  if (environment.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  const parent = process.ppid;
  // npm runs scripts through a shell, which may stay as a process of its own or become this one.
  const watched = [parentOf(parent)].filter((pid) => pid !== undefined && pid > 1);
  const timer = setInterval(() => {
    if (process.ppid !== parent || !watched.every(isAlive)) onGone();
  }, pause);
  timer.unref();
}
