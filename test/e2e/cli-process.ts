/** The command as a separate process, and a server started by it. Requires dist/ (npm run build). */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** Names the command that the tests run: that of the installed package in the end-to-end tests, else the built one. */
export const commandVariable = 'IAM_TEST_COMMAND';
export const bin = process.env[commandVariable] ?? path.join(root, 'bin/iam.js');

export interface ProcessResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Variables = Readonly<Record<string, string>>;

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly done: Promise<ProcessResult>;
}

/** A separate folder for one test: profiles, tokens and stores. */
export class Sandbox implements AsyncDisposable {
  readonly folder: string;
  readonly #children = new Set<ChildProcess>();

  constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<Sandbox> {
    return new Sandbox(await mkdtemp(path.join(os.tmpdir(), 'iam-e2e-')));
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  /**
   * Starts a program without the IAM_ and XDG_ variables of this process. If `stdin` is 'open', the test writes to it.
   */
  start(
    program: string,
    words: readonly string[],
    variables: Variables = {},
    stdin: string | 'open' = '',
  ): RunningProcess {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(IAM_|XDG_|CI$|NO_COLOR|FORCE_COLOR)/.test(name),
    );
    const env = {
      ...Object.fromEntries(inherited),
      XDG_CONFIG_HOME: this.file('config'),
      XDG_CACHE_HOME: this.file('cache'),
      XDG_STATE_HOME: this.file('state'),
      ...variables,
    };
    const child = spawn(program, words, { cwd: this.folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#children.add(child);
    child.stdin.on('error', () => undefined);
    if (stdin !== 'open') child.stdin.end(stdin);
    return { child, done: collectResult(child) };
  }

  /** Runs the command until it exits. */
  iam(words: readonly string[], variables: Variables = {}, stdin = ''): Promise<ProcessResult> {
    return this.start(process.execPath, [bin, ...words], variables, stdin).done;
  }

  /** Starts `iam serve` and waits for its ready line. */
  async serve(words: readonly string[] = ['--store', 'memory'], more: Variables = {}): Promise<RunningServe> {
    const secrets = { IAM_ADMIN_CLIENT_ID: 'e2e-admin', IAM_ADMIN_CLIENT_SECRET: 'a-secret-for-end-to-end-tests-only' };
    const { child, done } = this.start(process.execPath, [bin, 'serve', '--json', '--port', '0', ...words], {
      ...secrets,
      ...more,
    });
    const url = await Promise.race([
      readyUrl(child),
      done.then((outcome) => Promise.reject(new Error(`serve ended: ${JSON.stringify(outcome)}`))),
    ]);
    const variables = {
      IAM_BASE_URL: url,
      IAM_CLIENT_ID: secrets.IAM_ADMIN_CLIENT_ID,
      IAM_CLIENT_SECRET: secrets.IAM_ADMIN_CLIENT_SECRET,
    };
    return { url, variables, child, done };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const living = [...this.#children].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(living.map((child) => new Promise((resolve) => child.once('exit', resolve).kill('SIGKILL'))));
    await rm(this.folder, { recursive: true, force: true });
  }
}

export interface RunningServe extends RunningProcess {
  readonly url: string;
  /** Environment of a command that is signed in as its administrator. */
  readonly variables: Variables;
}

function collectResult(child: ChildProcess): Promise<ProcessResult> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no standard output');
  for await (const line of createInterface(child.stdout)) return (JSON.parse(line) as { url: string }).url;
  throw new Error('no line');
}
