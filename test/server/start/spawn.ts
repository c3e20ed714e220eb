/** Runs the built server as a separate process, as `npm start` does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopTimeoutMs } from '../../../src/server/listen.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Launcher {
  /** Creates a folder that is removed with the launcher. */
  folder(): string;
  start(options?: StartOptions): Run;
  remove(): void;
}

export interface StartOptions {
  readonly flags?: Readonly<Record<string, string | boolean>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The umask of the process, such as `000`. */
  readonly umask?: string;
  readonly cwd?: string;
  /** The limit of open files. */
  readonly descriptors?: number;
  /** Whether the grace period of a stop lasts a minute, so that a test can detect on any machine that a stop waits for it. */
  readonly hasLongGracePeriod?: true;
}

/** Milliseconds. A stop that does not wait for the long grace period takes less on any machine. */
export const promptStopLimit = 30_000;

export interface Ready {
  readonly ready: true;
  readonly url: string;
  readonly pid: number;
  readonly adminClientId: string;
  readonly adminClientSecret?: string;
  /** With the first start only, as the secret. */
  readonly appClientId?: string;
  readonly adminUser?: string;
  readonly adminPassword?: string;
}

export interface Run {
  readonly process: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** The ready line of --json. Rejects if the process ends before it. */
  ready(): Promise<Ready>;
  /** The exit code, or the name of the signal. */
  exit(): Promise<number | string>;
}

/**
 * Starts the server of dist/: with the packages as modules of their own, a start takes four times as long.
 * @throws Error if dist/ is older than the sources.
 */
export async function createLauncher(): Promise<Launcher> {
  const { isRuntimeBuilt } = await import(new URL('../../../scripts/build-steps.mjs', import.meta.url).href);
  if (!isRuntimeBuilt()) throw new Error('dist/ is older than the sources. Build it: npm run build');
  const temporary = mkdtempSync(path.join(tmpdir(), 'iam-start-'));
  const entry = path.join(temporary, 'serve.cjs');
  writeFileSync(
    entry,
    `const { serve } = require(${JSON.stringify(path.join(root, 'dist/server.cjs'))});
const { stdout, stderr, env: environment } = process;
// If serve() never settles.
process.exitCode = 13;
if (process.argv[3] === 'long-grace-period') {
  const original = setTimeout;
  globalThis.setTimeout = (work, milliseconds, ...rest) =>
    original(work, milliseconds === ${stopTimeoutMs} ? 60_000 : milliseconds, ...rest);
}
void serve({ flags: JSON.parse(process.argv[2]), environment, io: { stdout, stderr } }).then((code) => {
  process.exitCode = code;
});
`,
  );
  const runs: Run[] = [];
  let folders = 0;
  return {
    folder() {
      folders += 1;
      const folder = path.join(temporary, String(folders));
      mkdirSync(folder);
      return folder;
    },
    start(options = {}) {
      const run = startProcess(entry, options);
      runs.push(run);
      return run;
    },
    remove() {
      for (const run of runs) run.process.kill('SIGKILL');
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

function startProcess(
  entry: string,
  { flags = {}, environment = {}, umask = '022', cwd, descriptors, hasLongGracePeriod }: StartOptions,
): Run {
  const options = JSON.stringify({ port: '0', json: true, ...flags });
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
  const grace = hasLongGracePeriod ? 'long-grace-period' : '';
  const shell = `${limit}umask "$1"; shift; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', shell, 'sh', umask, process.execPath, entry, options, grace], {
    cwd: cwd ?? tmpdir(),
    env: { PATH: '/usr/bin:/bin', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const line = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => stdout.includes('\n') && resolve());
    ended.then((code) => reject(new Error(`ended with ${code}: ${stderr}`)), reject);
  });
  line.catch(() => {});
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    ready: async () => {
      await line;
      return JSON.parse(stdout) as Ready;
    },
    exit: () => ended,
  };
}
