/** The processes that are measured: started on a core of their own, asked for what they used, stopped while others run. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FloorResponse, HashRequest, MonitorCommand, Usage } from './ipc-messages.ts';
import type { LoadResult } from './load-driver.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

// Asked before anything is pinned, for then it is one.
const cores = availableParallelism();
const canPin = cores > 1 && hasTaskset();
const [driverCore, serverCore] = [0, 1];

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-p', String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** How the processes share the cores, for the reader of the figures. */
export function describeCores(): string {
  return `${cores} cores, ${canPin ? `server and floor on core ${serverCore}, driver on core ${driverCore}` : 'nothing pinned'}`;
}

/** Puts this process on the core that no measured server has. */
export function pinDriver(): void {
  if (canPin) execFileSync('taskset', ['-apc', String(driverCore), String(process.pid)], { stdio: 'ignore' });
}

/** The command that runs Node with these arguments on the core of the servers, or on the driver's. */
export function nodeOn(core: 'server' | 'driver', args: readonly string[]): [command: string, args: string[]] {
  if (!canPin) return [process.execPath, [...args]];
  return ['taskset', ['-c', String(core === 'server' ? serverCore : driverCore), process.execPath, ...args]];
}

export class ServerProcess {
  readonly #child: ChildProcess;
  /** From being started to being ready. */
  readonly startMs: number;
  readonly port: number;
  #stopped = false;

  private constructor(child: ChildProcess, port: number, startMs: number) {
    this.#child = child;
    this.port = port;
    this.startMs = startMs;
  }

  /** Starts a server that prints one line of JSON with its url when it is ready. It can be asked where it is monitored. */
  static async start(
    args: readonly string[],
    {
      environment = {},
      monitored = true,
    }: { environment?: Readonly<Record<string, string>>; monitored?: boolean } = {},
  ) {
    const startedAt = performance.now();
    const monitor = new URL('./monitor.js', import.meta.url).href;
    const [command, all] = nodeOn('server', monitored ? ['--import', monitor, ...args] : args);
    const child = spawn(command, all, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit', monitored ? 'ipc' : 'ignore'],
    });
    const line = await firstLine(child);
    const { url } = JSON.parse(line) as { url: string };
    return new ServerProcess(child, Number(new URL(url).port), performance.now() - startedAt);
  }

  /** The built service on the store in this folder. */
  static iam(folder: string, environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
    return ServerProcess.start(buildServeArgs(folder), { environment });
  }

  /** The same with nothing beside it, and nothing set: it can't be asked, only stopped. */
  static iamAlone(folder: string): Promise<ServerProcess> {
    return ServerProcess.start(buildServeArgs(folder), { monitored: false });
  }

  static floor(): Promise<ServerProcess> {
    return ServerProcess.start([fileURLToPath(new URL('./floor.js', import.meta.url))]);
  }

  static hashFloor(): Promise<ServerProcess> {
    return ServerProcess.start([fileURLToPath(new URL('./hash-floor.js', import.meta.url))]);
  }

  async query(order: MonitorCommand): Promise<Usage> {
    return (await this.#exchange(order)) as Usage;
  }

  /** Has the floor of hashes check passwords. */
  async hash(order: HashRequest): Promise<LoadResult> {
    return (await this.#exchange(order)) as LoadResult;
  }

  async #exchange(order: MonitorCommand | HashRequest): Promise<unknown> {
    const answered = once(this.#child, 'message');
    this.#child.send(order);
    const [answer] = await answered;
    return answer;
  }

  /** Tells the floor what to answer. */
  setResponse(answer: FloorResponse): void {
    this.#child.send(answer);
  }

  /** Stops it in its tracks, so that nothing it does beside is taken from whom is measured next. */
  async suspend(): Promise<void> {
    if (this.#stopped) return;
    await this.query('pause');
    this.#child.kill('SIGSTOP');
    this.#stopped = true;
  }

  async resume(): Promise<void> {
    if (!this.#stopped) return;
    this.#child.kill('SIGCONT');
    this.#stopped = false;
    await this.query('watch');
  }

  async stop(): Promise<void> {
    await this.resume();
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
  }
}

function buildServeArgs(folder: string): string[] {
  return [path.join(root, 'bin/iam.js'), 'serve', '--port', '0', '--data', folder, '--json'];
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('a server has an output');
  const lines = createInterface({ input: child.stdout });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`a server ended with exit code ${code} instead of getting ready`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), gone])) as [string];
  gone.catch(() => {});
  return line;
}
