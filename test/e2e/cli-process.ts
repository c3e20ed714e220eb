/** The command as a separate process, and a server started by it. Requires dist/ (npm run build). */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/**
 * The command that the tests run: `built` (the default), that of the installed `package`, or an executable by its file
 * (`npm run build:executable`).
 */
const { IAM_TEST_COMMAND: tested = 'built' } = process.env;
const executable = path.isAbsolute(tested) ? tested : undefined;
export const bin = executable ?? (await findScript());

async function findScript(): Promise<string> {
  if (tested === 'built') return path.join(root, 'bin/iam.js');
  if (tested !== 'package') throw new Error(`IAM_TEST_COMMAND must be built, package or an absolute path: ${tested}`);
  const { requestResource } = await import('../resources/request.ts');
  return (await requestResource('package')).command;
}

/** The words that run a program. */
export type Command = readonly [file: string, ...script: string[]];

/** Those of the command: an executable needs no Node. */
export const command: Command = executable === undefined ? [process.execPath, bin] : [executable];
/** The same for a shell. */
export const shellCommand = command.map((word) => `"${word}"`).join(' ');

/** Whether the servers of the tests have a schema of PostgreSQL each instead of the memory (`npm run test:postgres`). */
const isOnPostgres = process.env.IAM_TEST_STORE === 'postgres';
export const inMemory = ['--store', 'memory'];

/** The administrator of the servers of the tests. Each start hashes a password, here without cost. */
export const adminVariables = {
  IAM_SERVE_FAST_PASSWORDS: 'true',
  IAM_ADMIN_CLIENT_ID: 'e2e-admin',
  IAM_ADMIN_CLIENT_SECRET: 'a-secret-for-end-to-end-tests-only',
};

/** The environment of a command that is signed in as the administrator. */
export const signIn = (url: string): Variables => ({
  IAM_BASE_URL: url,
  IAM_CLIENT_ID: adminVariables.IAM_ADMIN_CLIENT_ID,
  IAM_CLIENT_SECRET: adminVariables.IAM_ADMIN_CLIENT_SECRET,
});

export interface ProcessResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export type Variables = Readonly<Record<string, string>>;

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

  /** Starts the command. */
  startIam(words: readonly string[], variables: Variables = {}, stdin = ''): RunningProcess {
    const [file, ...script] = command;
    return this.start(file, [...script, ...words], variables, stdin);
  }

  /** Runs the command until it exits. */
  iam(words: readonly string[], variables: Variables = {}, stdin = ''): Promise<ProcessResult> {
    return this.startIam(words, variables, stdin).done;
  }

  /** Starts `iam serve` and waits for its ready line. */
  async serve(words: readonly string[] = inMemory, more: Variables = {}): Promise<RunningServe> {
    const store = await selectStore(words);
    const { child, done } = this.startIam(['serve', '--json', '--port', '0', ...store.words], {
      ...adminVariables,
      ...store.variables,
      ...more,
    });
    const url = await Promise.race([
      readyUrl(child),
      done.then((outcome) => Promise.reject(new Error(`serve ended: ${JSON.stringify(outcome)}`))),
    ]);
    return { url, variables: signIn(url), child, done };
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

/** Replaces the memory by a new schema of the test database, if the tests run on PostgreSQL. */
async function selectStore(words: readonly string[]): Promise<{ words: readonly string[]; variables: Variables }> {
  const at = words.findIndex((word, index) => word === inMemory[0] && words[index + 1] === inMemory[1]);
  if (!isOnPostgres || at < 0) return { words, variables: {} };
  const { databaseUrl } = await import('../postgres/database.ts');
  const schema = `e2e_${randomUUID().replaceAll('-', '')}`;
  const onPostgres = [
    '--store',
    'postgres',
    '--database-schema',
    schema,
    '--init',
    '--exclusive',
    '--audit-log',
    'off',
  ];
  return {
    words: [...words.slice(0, at), ...onPostgres, ...words.slice(at + inMemory.length)],
    variables: { IAM_DATABASE_URL: databaseUrl },
  };
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
