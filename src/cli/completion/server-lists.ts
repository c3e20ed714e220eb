/** Names that only the server knows: what a list command prints, at once or not at all. */
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Environment, Io } from '../runtime/io.ts';
import type { SettingSources } from '../runtime/settings.ts';
import { buildLookupVariables, resolveCompletionCaller } from './cached-credentials.ts';
import { createNameCache } from './name-cache.ts';
import { parsePosition } from './position.ts';
import { type Row, reduceRow } from './rows.ts';

export interface PrintedList {
  /** The words of a command that prints rows, such as `groups list`, or one of them. */
  readonly words: readonly string[];
  readonly args: readonly string[];
  /** Dotted paths of what is kept of each row. */
  readonly keep: readonly string[];
}

/** The rows that a command prints; none where it fails in any way, or takes too long. */
export type ListReader = (list: PrintedList) => Promise<readonly Row[]>;

export interface ListReaderDeps {
  readonly io: Io;
  readonly environment: Environment;
  readonly sources: () => Promise<SettingSources>;
  /** Ends the look, whatever is under way. */
  limit(): AbortSignal;
  /** Builds the commands that these words need. */
  build(io: Io, environment: Environment, words: readonly string[]): Command;
}

const maxRows = '1000';

/** Lists by the commands that are there for them, with the token that is there, from the cache where that is fresh. */
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
  const sources = await deps.sources();
  const caller = resolveCompletionCaller(sources);
  const cache = createNameCache(caller.owner, environment);
  const { words, args, keep } = list;
  const key = JSON.stringify([words, args, keep]);
  const known = cache.read(key);
  if (known) return known;
  const variables = await buildLookupVariables(caller, sources, environment);
  if (!variables) return [];
  const found = await runListCommand(deps, list, variables);
  const rows = found.map((row) => reduceRow(row, keep));
  cache.write(key, rows);
  return rows;
}

/** What the command prints, as data; it can not ask anybody, and what it has to say is for nobody. */
async function runListCommand(
  { io, environment, limit, build }: ListReaderDeps,
  { words, args }: PrintedList,
  variables: Environment['variables'],
): Promise<readonly unknown[]> {
  const stdout = createBufferedStream();
  // No folder: what a project says is among the variables already.
  const within = { variables, now: environment.now, random: environment.random };
  const program = build(createSilentIo(io, stdout.stream, limit()), within, words);
  const { command } = parsePosition(program, words);
  const limits = command.options.some(({ long }) => long === '--limit') ? ['--limit', maxRows] : [];
  const options = ['--output', 'json', '--no-input', '--max-wait', '0', ...limits];
  await program.parseAsync([...words, ...options, '--', ...args], { from: 'user' });
  const printed = JSON.parse(stdout.text()) as unknown;
  return [printed].flat();
}

/** Nothing of it reaches the streams of the process; the one that it would open for input is opened by nobody. */
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
  /** All that was written to it. */
  text(): string;
}

/** Keeps what is written to it. No class: one is made with the program, and streams take milliseconds to load. */
function createBufferedStream(): BufferedStream {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _: BufferEncoding, done: () => void) => {
    chunks.push(chunk);
    done();
  };
  return { stream: new Writable({ write }), text: () => Buffer.concat(chunks).toString('utf8') };
}
