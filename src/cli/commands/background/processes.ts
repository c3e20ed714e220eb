/** Processes of this machine: whether the one that was started still runs, or its number has gone to another. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Tells a process from any other that has had, or will have, the same number. Nothing where none runs. */
export async function readProcessIdentity(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? identityOnLinux(pid) : identityElsewhere(pid);
}

async function identityOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program stands in brackets, and may hold brackets and blanks itself.
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

/** Sends a signal; that the process is gone meanwhile is no failure. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
