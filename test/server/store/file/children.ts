/** Starts `child.ts` as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

export class Child {
  readonly #process: ChildProcess;
  readonly lines: string[] = [];
  readonly #ended: Promise<unknown>;
  #notify: () => void = () => {};

  /** @param launcher a program that runs the command given as its last arguments. */
  constructor(script: string, options: readonly string[], launcher: readonly string[] = []) {
    const [program = '', ...rest] = [...launcher, process.execPath, script, ...options];
    this.#process = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdout } = this.#process;
    if (stdout === null) throw new Error('The child has no output.');
    const reader = createInterface({ input: stdout });
    reader.on('line', (line) => {
      this.lines.push(line);
      this.#notify();
    });
    this.#ended = Promise.all([once(this.#process, 'exit'), once(reader, 'close')]);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Waits for the first line with this start, or that `found` accepts. */
  async line(start: string, found = (line: string) => line.startsWith(start)): Promise<string> {
    for (;;) {
      const line = this.lines.find(found);
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Resolves once the process has exited and all its output is read. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  async ended(): Promise<void> {
    await this.#ended;
  }
}

export interface Children {
  start(...options: string[]): Child;
  /** Starts it with a program that runs a command, such as unshare. */
  startWith(launcher: readonly string[], ...options: string[]): Child;
  remove(): Promise<void>;
}

/** Bundles the program; `start` runs it. */
export async function bundleChild(): Promise<Children> {
  const folder = await mkdtemp(join(tmpdir(), 'iam-store-child-'));
  const script = join(folder, 'child.mjs');
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Native code; it is found through the link.
    external: ['fs-native-extensions'],
    logLevel: 'error',
  });
  return {
    start: (...options) => new Child(script, options),
    startWith: (launcher, ...options) => new Child(script, options, launcher),
    remove: () => rm(folder, { recursive: true }),
  };
}
