import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { getErrorCode } from './disk.ts';
import type { KernelLock, Processes, ProcessIdentity } from './processes.ts';

/** `tryLock` of fs-native-extensions: an OFD lock on Linux, flock on macOS. Both belong to the open file, not to the process. */
type TryLock = (fd: number, options: { readonly shared: boolean }) => boolean;

/** Errors of a file system without locks, such as some network file systems. */
const LOCK_UNSUPPORTED = ['ENOLCK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'];

export interface NodeProcessesOptions {
  /** See `Processes`. */
  readonly allowsUnsafeLock?: boolean | undefined;
  /** Default: loads fs-native-extensions. */
  readonly loadTryLock?: () => Promise<TryLock>;
}

/** The processes of this machine, for the process with this pid. */
export async function openNodeProcesses(
  pid: number,
  platform: NodeJS.Platform,
  options: NodeProcessesOptions = {},
): Promise<Processes> {
  const linux = platform === 'linux';
  const readStart = linux ? readLinuxStartTime : readStartTime;
  const bootId = await (linux ? readLinuxBootId() : readBootId());
  const namespace = linux ? await readlink('/proc/self/ns/pid').catch(() => undefined) : undefined;
  const startedAt = (await readStart(pid)) ?? '';
  const self: ProcessIdentity = { pid, bootId, startedAt, namespace, host: hostname() };
  return {
    self,
    async isRunning(identity) {
      const here = identity.bootId === bootId && identity.namespace === namespace;
      return here && identity.startedAt === (await readStart(identity.pid));
    },
    kernelLock: await loadKernelLock(options.loadTryLock ?? loadTryLock),
    allowsUnsafeLock: options.allowsUnsafeLock === true,
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

/** Loads the lock, only when a store is opened: other commands start without native code. */
async function loadTryLock(): Promise<TryLock> {
  if ('deno' in process.versions)
    throw new Error('Deno lacks a function of libuv that the lock needs; it ends the process.');
  return (await import('fs-native-extensions')).tryLock;
}

/** The lock; undefined if there is no build of it for this system, such as Linux with musl. */
async function loadKernelLock(load: () => Promise<TryLock>): Promise<KernelLock | undefined> {
  const tryLock = await load().catch(() => undefined);
  if (tryLock === undefined) return undefined;
  return async ({ fd }, mode) => {
    try {
      return tryLock(fd, { shared: mode === 'shared' }) ? 'acquired' : 'taken';
    } catch (error) {
      if (LOCK_UNSUPPORTED.includes(getErrorCode(error) ?? '')) return 'unsupported';
      throw error;
    }
  };
}
