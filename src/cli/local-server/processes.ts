/** Identifies operating system processes, so that a reused PID is not mistaken for the server. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Returns a string that identifies a process across PID reuse (boot id and start time); undefined if it does not run. */
export async function readProcessIdentity(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? identityOnLinux(pid) : identityElsewhere(pid);
}

async function identityOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // Field 2 of /proc/PID/stat is the program name in parentheses; it can contain parentheses and spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, startedAt] = [fields[0], fields[19]];
  const isDead = state === undefined || state === 'Z' || state === 'X';
  if (isDead) return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()} ${startedAt}`;
}

async function identityElsewhere(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { LC_ALL: 'C' },
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Sends a signal. Ignores a process that no longer exists. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
