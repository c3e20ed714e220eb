import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { getErrorCode } from './disk.ts';
import type { NameLock, Processes, ProcessIdentity } from './processes.ts';

/** The processes of this machine, for the process with this pid. */
export async function openNodeProcesses(pid: number, platform: NodeJS.Platform): Promise<Processes> {
  const linux = platform === 'linux';
  const readStart = linux ? readLinuxStartTime : readStartTime;
  const bootId = await (linux ? readLinuxBootId() : readBootId());
  const self: ProcessIdentity = { pid, bootId, startedAt: (await readStart(pid)) ?? '' };
  return {
    self,
    async isRunning(identity) {
      return identity.bootId === bootId && identity.startedAt === (await readStart(identity.pid));
    },
    acquire: linux ? acquireAbstractSocket : async () => 'unsupported',
  };
}

async function readLinuxBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** The start time in clock ticks since boot (proc(5), field 22); undefined if the process does not exist or is dead. */
async function readLinuxStartTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is the program name in parentheses, which may contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields?.[0];
  return state === 'Z' || state === 'X' ? undefined : fields?.[19];
}

async function readBootId(): Promise<string> {
  return (await run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])) ?? 'unknown';
}

async function readStartTime(pid: number): Promise<string | undefined> {
  return run('/bin/ps', ['-o', 'lstart=', '-p', String(pid)]);
}

/** The output of a program; undefined if it fails or prints nothing. */
async function run(program: string, options: readonly string[]): Promise<string | undefined> {
  try {
    // Loaded only on systems without /proc, for a fast start elsewhere.
    const { execFile } = await import('node:child_process');
    const { stdout } = await promisify(execFile)(program, options, { env: { LC_ALL: 'C' } });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Binds an abstract socket (unix(7)), which the kernel releases when the process ends. */
function acquireAbstractSocket(name: string): Promise<NameLock> {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 40);
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    // A sandbox may forbid sockets; the lock file is then the only lock.
    server.once('error', (error) => resolve(getErrorCode(error) === 'EADDRINUSE' ? 'taken' : 'unsupported'));
    server.listen(`\0iam-store-${digest}`, () => {
      server.unref();
      resolve({ release: () => new Promise((released) => server.close(() => released())) });
    });
  });
}
