/** Runs a command line in this process against whatever server a test gives it, in a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { run } from '../../src/cli/run.ts';
import type { Gateway } from '../../src/cli/runtime/questions.ts';
import { written } from './written.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  readonly url?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** All three streams are terminals of this width. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  /** Where the command is typed; without it no file of a project is looked for. */
  readonly folder?: string;
  /** Answers questions in place of somebody at a terminal. */
  readonly gateway?: Gateway;
}

export const signedIn = { IAM_TOKEN: 'test-token' };

/** A folder for profiles and tokens that goes with the test. */
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
  iam(words: readonly string[], given: Given = {}): Promise<Outcome> {
    return iam(words, { ...given, variables: { ...this.variables, ...given.variables } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs a command; without a home it finds no profile. Signed in by a token where no variables are given. */
export async function iam(words: readonly string[], given: Given = {}): Promise<Outcome> {
  const [stdout, stderr] = [terminal(given.columns), terminal(given.columns)];
  const stdin = Object.assign(Readable.from(given.stdin === undefined ? [] : [given.stdin]), {
    isTTY: given.columns !== undefined,
  });
  const base = given.url === undefined ? {} : { IAM_BASE_URL: given.url };
  const variables = {
    XDG_CONFIG_HOME: '/nonexistent/config',
    XDG_CACHE_HOME: '/nonexistent/cache',
    XDG_STATE_HOME: '/nonexistent/state',
    ...base,
    ...(given.variables ?? signedIn),
  };
  const signal = given.signal ?? new AbortController().signal;
  const io = { stdin, stdout, stderr, signal, releaseSignals: () => undefined, gateway: given.gateway };
  const now = given.now ?? (() => 1_800_000_000_000);
  const storeTools = () => import('../../src/server/store-tools.ts');
  const code = await run(words, io, {
    ...{ variables, now, random: () => 0, storeTools },
    workingFolder: () => given.folder,
  });
  return { code, out: written(stdout), err: written(stderr) };
}

function terminal(columns: number | undefined) {
  return Object.assign(
    new PassThrough({ highWaterMark: 50_000_000 }),
    // A question ends what it is drawn on, which the streams of a process outlive.
    columns === undefined ? {} : { isTTY: true, columns, end: () => undefined },
  );
}
