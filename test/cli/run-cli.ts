/** Runs a command line in this process against the server of a test, with a separate home folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test as base } from 'vitest';
import type { Environment } from '../../src/cli/io/io.ts';
import type { Prompter } from '../../src/cli/io/prompter.ts';
import { run } from '../../src/cli/run.ts';
import { drainStream } from './drain-stream.ts';

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly url?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** All three streams are terminals of this width. */
  readonly columns?: number;
  /** The height of the terminal; without it there is no pager. */
  readonly rows?: number;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  /** Without it, commands do not wait. */
  readonly pause?: Environment['pause'];
  /** The working folder; without it no project file is searched. */
  readonly folder?: string;
  /** Another build of the command. */
  readonly program?: typeof run;
  /** Called with each text on standard error, while the command runs. */
  readonly onStderr?: (text: string) => void;
  /** Replies to prompts in place of a user. */
  readonly prompter?: Prompter;
}

export const tokenVariables = { IAM_TOKEN: 'test-token' };

/** A folder for profiles and tokens that is removed after the test. */
export class Home implements AsyncDisposable {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<Home> {
    return new Home(await mkdtemp(path.join(os.tmpdir(), 'iam-cli-')));
  }

  get variables(): Record<string, string> {
    return {
      XDG_CONFIG_HOME: path.join(this.folder, 'config'),
      XDG_CACHE_HOME: path.join(this.folder, 'cache'),
      XDG_STATE_HOME: path.join(this.folder, 'state'),
    };
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  /** Runs with this folder as home. */
  iam(words: readonly string[], options: RunOptions = {}): Promise<CliResult> {
    return iam(words, { ...options, variables: { ...this.variables, ...options.variables } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A test that requests `home` has one of its own. */
export const test = base.extend<{ home: Home }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of what it needs from a pattern
  home: async ({}, use) => {
    await using home = await Home.make();
    await use(home);
  },
});

/** Runs a command. Without a home it has no profiles; without variables it is signed in with a token. */
export async function iam(words: readonly string[], options: RunOptions = {}): Promise<CliResult> {
  const [stdout, stderr] = [terminal(options), terminal(options)];
  const { onStderr } = options;
  if (onStderr) {
    const write = stderr.write.bind(stderr);
    stderr.write = (text: string) => {
      onStderr(text);
      return write(text);
    };
  }
  const stdin = Object.assign(Readable.from(options.stdin === undefined ? [] : [options.stdin]), {
    isTTY: options.columns !== undefined,
  });
  const base = options.url === undefined ? {} : { IAM_BASE_URL: options.url };
  const variables = {
    XDG_CONFIG_HOME: '/nonexistent/config',
    XDG_CACHE_HOME: '/nonexistent/cache',
    XDG_STATE_HOME: '/nonexistent/state',
    ...base,
    ...(options.variables ?? tokenVariables),
  };
  const signal = options.signal ?? new AbortController().signal;
  const io = { stdin, stdout, stderr, signal, releaseSignals: () => undefined, prompter: options.prompter };
  const now = options.now ?? (() => 1_800_000_000_000);
  const code = await (options.program ?? run)(words, io, {
    ...{ variables, now, random: () => 0, pause: options.pause },
    workingFolder: () => options.folder,
  });
  return { code, out: drainStream(stdout), err: drainStream(stderr) };
}

function terminal({ columns, rows }: RunOptions) {
  return Object.assign(
    new PassThrough({ highWaterMark: 50_000_000 }),
    // A prompt ends its streams; those of a process stay open.
    columns === undefined ? {} : { isTTY: true, columns, rows, end: () => undefined },
  );
}
