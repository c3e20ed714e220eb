/** Reads names from the server by running a list command with a time limit. */
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { CliSettings } from '../config/settings.ts';
import type { Environment, Io } from '../io/io.ts';
import { buildLookupVariables, resolveCompletionCaller } from './cached-credentials.ts';
import { createNameCache } from './name-cache.ts';
import { parsePosition } from './position.ts';
import { type Row, reduceRow } from './rows.ts';

export interface PrintedList {
  /** The words of a command that prints rows, such as `groups list`, or one row. */
  readonly words: readonly string[];
  readonly args: readonly string[];
  /** The dotted paths to keep of each row. */
  readonly keep: readonly string[];
}

/** Returns the rows that a command prints; empty if it fails or times out. */
export type ListReader = (list: PrintedList) => Promise<readonly Row[]>;

export interface ListReaderDeps {
  readonly io: Io;
  readonly environment: Environment;
  readonly settings: () => Promise<CliSettings>;
  /** Aborts the lookup. */
  limit(): AbortSignal;
  /** Builds the program with the commands that these words need. */
  build(io: Io, environment: Environment, words: readonly string[]): Command;
}

const maxRows = '1000';

/** Creates a reader that runs list commands with the existing token and caches their rows. */
export function createListReader(deps: ListReaderDeps): ListReader {
  return async (list) => {
    try {
      return await Promise.race([readRows(deps, list), rejectOnAbort(deps.limit())]);
    } catch {
      return [];
    }
  };
}

async function readRows(deps: ListReaderDeps, list: PrintedList): Promise<readonly Row[]> {
  const { environment } = deps;
  const settings = await deps.settings();
  const caller = resolveCompletionCaller(settings);
  const cache = createNameCache(caller.owner, environment);
  const { words, args, keep } = list;
  const key = JSON.stringify([words, args, keep]);
  const known = cache.read(key);
  if (known) return known;
  const variables = await buildLookupVariables(caller, settings, environment);
  if (!variables) return [];
  const found = await runListCommand(deps, list, variables);
  const rows = found.map((row) => reduceRow(row, keep));
  cache.write(key, rows);
  return rows;
}

/** Runs the command without prompts or notices and parses its JSON output. */
async function runListCommand(
  { io, environment, limit, build }: ListReaderDeps,
  { words, args }: PrintedList,
  variables: Environment['variables'],
): Promise<readonly unknown[]> {
  const stdout = createBufferedStream();
  // Without a working folder: settings of the project are already in the variables.
  const within = { variables, now: environment.now, random: environment.random };
  const program = build(createSilentIo(io, stdout.stream, limit()), within, words);
  const { command } = parsePosition(program, words);
  const limits = command.options.some(({ long }) => long === '--limit') ? ['--limit', maxRows] : [];
  const options = ['--output', 'json', '--no-input', '--max-wait', '0', ...limits];
  await program.parseAsync([...words, ...options, '--', ...args], { from: 'user' });
  const printed = JSON.parse(stdout.text()) as unknown;
  return [printed].flat();
}

/** Streams that are separate from the process; standard input is opened only if it is read. */
function createSilentIo(io: Io, stdout: Writable, limit: AbortSignal): Io {
  return {
    get stdin() {
      return io.stdin;
    },
    stdout,
    stderr: createBufferedStream().stream,
    signal: AbortSignal.any([io.signal, limit]),
    releaseSignals: () => undefined,
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

interface BufferedStream {
  readonly stream: Writable;
  /** The collected text. */
  text(): string;
}

/** Collects the text written to it. Not a class: that would load streams at startup, which takes milliseconds. */
function createBufferedStream(): BufferedStream {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _: BufferEncoding, done: () => void) => {
    chunks.push(chunk);
    done();
  };
  return { stream: new Writable({ write }), text: () => Buffer.concat(chunks).toString('utf8') };
}
