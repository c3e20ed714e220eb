/** The measured processes: pinned to a core, queried for their usage, and suspended while others run. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Duration } from './figure.ts';
import type { FloorResponse, MonitorCommand, Usage } from './ipc-messages.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

// Read before this process is pinned, as it would be 1 afterwards.
const coreCount = availableParallelism();
const canPin = coreCount > 1 && hasTaskset();
const [driverCore, serverCore] = [0, 1];

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-p', String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Describes the assignment of processes to cores, for the report. */
export function describeCores(): string {
  return `${coreCount} cores, ${canPin ? `server and floor on core ${serverCore}, driver on core ${driverCore}` : 'nothing pinned'}`;
}

/** Pins this process to the core without measured servers. */
export function pinDriver(): void {
  if (canPin) execFileSync('taskset', ['-apc', String(driverCore), String(process.pid)], { stdio: 'ignore' });
}

/** Returns the command that runs Node on the core of the servers or of the driver. */
export function nodeOn(core: 'server' | 'driver', args: readonly string[]): [command: string, args: string[]] {
  if (!canPin) return [process.execPath, [...args]];
  return ['taskset', ['-c', String(core === 'server' ? serverCore : driverCore), process.execPath, ...args]];
}

/**
 * Returns the environment of a measured process: the given variables and those that the system needs. Others change the
 * result: with NODE_EXTRA_CA_CERTS, Node 20 reads the certificates at each start, which takes up to 80 ms.
 */
export function measuredEnvironment(variables: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const { PATH, SystemRoot, TMPDIR, TEMP } = process.env;
  return { PATH, SystemRoot, TMPDIR, TEMP, ...variables };
}

/** Returns the CPU time of all processes that this one ran to completion, in steps of 10 ms; NaN except on Linux. */
export function readChildCpuMs(): number {
  // cutime and cstime.
  return sumStatFields('self', 16);
}

/** Returns the CPU time of a process that runs, in steps of 10 ms; NaN except on Linux. */
function readCpuMs(pid: number): number {
  // utime and stime.
  return sumStatFields(pid, 14);
}

/** Sums two fields of proc(5), by their number there. The second field is the name of the program in parentheses. */
function sumStatFields(pid: number | 'self', first: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[first - 3]) + Number(fields[first - 2])) * 10;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  /** From the start to the ready line. */
  readonly start: Duration;
  readonly port: number;
  /** A server on a database loses its registration while it is suspended. */
  readonly #suspendable: boolean;
  #stopped = false;

  private constructor(
    child: ChildProcess,
    port: number,
    { start, suspendable }: { readonly start: Duration; readonly suspendable: boolean },
  ) {
    this.#child = child;
    this.port = port;
    this.start = start;
    this.#suspendable = suspendable;
  }

  /** Starts a server that prints a JSON line with its URL when ready. Only a monitored server can be queried. */
  static async start(
    args: readonly string[],
    {
      environment = {},
      monitored = true,
      suspendable = true,
    }: { environment?: Readonly<Record<string, string>>; monitored?: boolean; suspendable?: boolean } = {},
  ) {
    const startedAt = performance.now();
    const monitor = new URL('./monitor.js', import.meta.url).href;
    const [command, all] = nodeOn('server', monitored ? ['--import', monitor, ...args] : args);
    const child = spawn(command, all, {
      cwd: root,
      env: measuredEnvironment(environment),
      stdio: ['ignore', 'pipe', 'inherit', monitored ? 'ipc' : 'ignore'],
    });
    const line = await firstLine(child);
    const start = { wallMs: performance.now() - startedAt, cpuMs: readCpuMs(child.pid ?? 0) };
    const { url } = JSON.parse(line) as { url: string };
    return new ServerProcess(child, Number(new URL(url).port), { start, suspendable });
  }

  /** Starts the built service on this store. */
  static iam(store: MeasuredStore, environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
    return ServerProcess.start(buildServeArgs(store), { environment, suspendable: 'folder' in store });
  }

  /** Starts the built service without the monitor: it cannot be queried. */
  static iamUnmonitored(folder: string, environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
    return ServerProcess.start(buildServeArgs({ folder }), { environment, monitored: false });
  }

  static floor(): Promise<ServerProcess> {
    return ServerProcess.start([fileURLToPath(new URL('./floor.js', import.meta.url))]);
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the process did not start');
    return pid;
  }

  async query(message: MonitorCommand): Promise<Usage> {
    const received = once(this.#child, 'message');
    this.#child.send(message);
    const [usage] = (await received) as [Usage];
    return usage;
  }

  /** Sets the response of the floor. */
  setResponse(response: FloorResponse): void {
    this.#child.send(response);
  }

  /** Suspends the process with SIGSTOP, so that its background work does not affect the next measurement. */
  suspend(): void {
    if (this.#stopped || !this.#suspendable) return;
    this.#child.kill('SIGSTOP');
    this.#stopped = true;
  }

  resume(): void {
    if (!this.#stopped) return;
    this.#child.kill('SIGCONT');
    this.#stopped = false;
  }

  async stop(): Promise<void> {
    this.resume();
    await this.#end('SIGTERM');
  }

  /** Ends the process as a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }
}

/** A folder, or a schema in the database of IAM_DATABASE_URL, with more arguments of the server. */
type MeasuredStore = ({ readonly folder: string } | { readonly schema: string }) & {
  readonly words?: readonly string[];
};

function buildServeArgs(store: MeasuredStore): string[] {
  // Servers on one schema have one issuer.
  const database = ['--store', 'postgres', '--audit-log', 'off', '--issuer', 'http://127.0.0.1', '--database-schema'];
  const words = 'folder' in store ? ['--data', store.folder] : [...database, store.schema];
  return [path.join(root, 'bin/iam.js'), 'serve', '--port', '0', ...words, ...(store.words ?? []), '--json'];
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the server has no stdout');
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`a server exited with code ${code} before it was ready`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), exited])) as [string];
  exited.catch(() => {});
  return line;
}
