/** What the system knows about other processes. Needs only Node. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** The fields of /proc/PID/stat from the third on: pid (name) state ppid ...; the name may contain spaces and parentheses. */
const readStat = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');

const ps = (field, pid) => execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();

/** Returns the parent of a process; undefined if it cannot be determined. */
export function parentOf(pid) {
  try {
    if (process.platform === 'linux') return Number(readStat(pid)[1]);
    return Number(ps('ppid', pid)) || undefined;
  } catch {
    return undefined;
  }
}

/** Returns when a process started, to tell it from a later one with the same id; undefined if it has ended. */
export function startOf(pid) {
  try {
    if (process.platform !== 'linux') return ps('lstart', pid) || undefined;
    const fields = readStat(pid);
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
