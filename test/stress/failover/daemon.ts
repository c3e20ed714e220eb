/** Processes of the test bed: their start, their end, and the signals to a process with all that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

/** PostgreSQL does not run as root: then it runs as the user without rights. */
export const unprivilegedUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export interface DaemonOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives stdout and stderr. */
  readonly logFile: string;
  readonly cwd: string;
  readonly user?: { readonly uid?: number; readonly gid?: number };
}

export class Daemon {
  readonly #child: ChildProcess;
  readonly ended: Promise<void>;

  constructor(command: string, args: readonly string[], { env, logFile, cwd, user = {} }: DaemonOptions) {
    const log = openSync(logFile, 'a');
    this.#child = spawn(command, args, { cwd, env: { ...env }, stdio: ['ignore', log, log], ...user });
    closeSync(log);
    this.ended = once(this.#child, 'exit').then(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

/** Sends a signal to those of the processes that still exist. */
export function signalProcesses(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Stops a process, so that it starts no more, and then all that it started. @returns their ids, its own first */
export function freezeTree(pid: number): readonly number[] {
  signalProcesses([pid], 'SIGSTOP');
  const pids = [pid, ...listChildren(pid)];
  signalProcesses(pids, 'SIGSTOP');
  return pids;
}

export function killTree(pid: number): void {
  signalProcesses(freezeTree(pid), 'SIGKILL');
}

/** The processes that a process started, and those that they started. */
export function listChildren(parent: number): readonly number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const ppid = readParent(name);
    if (ppid !== undefined) parents.set(ppid, [...(parents.get(ppid) ?? []), Number(name)]);
  }
  const collect = (pid: number): number[] => (parents.get(pid) ?? []).flatMap((child) => [child, ...collect(child)]);
  return collect(parent);
}

function readParent(pid: string): number | undefined {
  try {
    // The name of the program is in parentheses and may contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ');
    return Number(fields?.[1]);
  } catch {
    return undefined;
  }
}

/** The command line of a process; empty if it has ended. */
export function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Ports of this machine that nothing uses. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => net.createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Polls until a value is returned. @throws Error that names what did not happen in time */
export async function waitFor<Value>(
  what: string,
  milliseconds: number,
  poll: () => Promise<Value | undefined> | Value | undefined,
  pause = 100,
): Promise<Value> {
  const end = performance.now() + milliseconds;
  for (;;) {
    const value = await poll();
    if (value !== undefined) return value;
    if (performance.now() >= end) throw new Error(`did not happen in ${milliseconds / 1000} s: ${what}`);
    await setTimeout(pause);
  }
}
