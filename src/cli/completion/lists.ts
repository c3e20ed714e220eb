/** Names that only the server knows: what a list command prints, at once or not at all. */
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Environment, Io } from '../runtime/io.ts';
import type { Sources } from '../runtime/settings.ts';
import { nameCache } from './cache.ts';
import { callerOf, lookingVariables } from './cached-sign-in.ts';
import { positionOf } from './position.ts';
import { type Row, reduced } from './rows.ts';

export interface PrintedList {
  /** The words of a command that prints rows, such as `groups list`, or one of them. */
  readonly words: readonly string[];
  readonly args: readonly string[];
  /** Dotted paths of what is kept of each row. */
  readonly keep: readonly string[];
}

/** The rows that a command prints; none where it fails in any way, or takes too long. */
export type Lists = (list: PrintedList) => Promise<readonly Row[]>;

export interface Looking {
  readonly io: Io;
  readonly environment: Environment;
  readonly sources: () => Promise<Sources>;
  /** Ends the look, whatever is under way. */
  limit(): AbortSignal;
  /** Builds the commands that these words need. */
  build(io: Io, environment: Environment, words: readonly string[]): Command;
}

const most = '1000';

/** Lists by the commands that are there for them, with the token that is there, from the cache where that is fresh. */
export function listsBy(looking: Looking): Lists {
  return async (list) => {
    try {
      return await Promise.race([rowsOf(looking, list), ended(looking.limit())]);
    } catch {
      return [];
    }
  };
}

async function rowsOf(looking: Looking, list: PrintedList): Promise<readonly Row[]> {
  const { environment } = looking;
  const sources = await looking.sources();
  const caller = callerOf(sources);
  const cache = nameCache(caller.owner, environment);
  const { words, args, keep } = list;
  const key = JSON.stringify([words, args, keep]);
  const known = cache.read(key);
  if (known) return known;
  const variables = await lookingVariables(caller, sources, environment);
  if (!variables) return [];
  const found = await printedRows(looking, list, variables);
  const rows = found.map((row) => reduced(row, keep));
  cache.write(key, rows);
  return rows;
}

/** What the command prints, as data; it can not ask anybody, and what it has to say is for nobody. */
async function printedRows(
  { io, environment, limit, build }: Looking,
  { words, args }: PrintedList,
  variables: Environment['variables'],
): Promise<readonly unknown[]> {
  const stdout = kept();
  // No folder: what a project says is among the variables already.
  const within = { variables, now: environment.now, random: environment.random };
  const program = build(asideFrom(io, stdout.stream, limit()), within, words);
  const { command } = positionOf(program, words);
  const limits = command.options.some(({ long }) => long === '--limit') ? ['--limit', most] : [];
  const options = ['--output', 'json', '--no-input', '--max-wait', '0', ...limits];
  await program.parseAsync([...words, ...options, '--', ...args], { from: 'user' });
  const printed = JSON.parse(stdout.text()) as unknown;
  return [printed].flat();
}

/** Nothing of it reaches the streams of the process; the one that it would open for input is opened by nobody. */
function asideFrom(io: Io, stdout: Writable, limit: AbortSignal): Io {
  return {
    get stdin() {
      return io.stdin;
    },
    stdout,
    stderr: kept().stream,
    signal: AbortSignal.any([io.signal, limit]),
    releaseSignals: () => undefined,
  };
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

interface Kept {
  readonly stream: Writable;
  /** All that was written to it. */
  text(): string;
}

/** Keeps what is written to it. No class: one is made with the program, and streams take milliseconds to load. */
function kept(): Kept {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _: BufferEncoding, done: () => void) => {
    chunks.push(chunk);
    done();
  };
  return { stream: new Writable({ write }), text: () => Buffer.concat(chunks).toString('utf8') };
}
