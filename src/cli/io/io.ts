/** Streams, signals and environment of the command line, replaceable in tests. */
import type { Readable, Writable } from 'node:stream';
import { readTextStream } from '../../lib/text-file.ts';
import type { Prompter } from './prompter.ts';

export type InputStream = Readable & { readonly isTTY?: boolean | undefined };
export type OutputStream = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** Standard output for text without data, such as help. */
export interface TextOutput {
  /** The width of the terminal; undefined for other outputs. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface Io {
  readonly stdin: InputStream;
  /** Data only. */
  readonly stdout: OutputStream;
  /** Standard output for text that needs no stream; by default `stdout`. */
  readonly textOutput?: TextOutput | undefined;
  /** Whether standard output is the null device that takes the place of a closed one, and discards everything. */
  readonly isStdoutNull?: (() => boolean) | undefined;
  /** Progress, notices, prompts and errors. */
  readonly stderr: OutputStream;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Removes the signal handlers; the server installs its own. */
  readonly releaseSignals: () => void;
  /** Replaces the terminal prompter. */
  readonly prompter?: Prompter | undefined;
}

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A random number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Resolves after the given milliseconds, or when the signal is aborted. Without it, callers do not wait. */
  readonly pause?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** The working folder; undefined if it was removed or is irrelevant. */
  readonly workingFolder?: (() => string | undefined) | undefined;
  /** The folder that PATH lacks so that the shell finds this program as `iam`; undefined if it finds it. */
  readonly missingPathFolder?: (() => string | undefined) | undefined;
}

/** The output for text without data. */
export function getTextOutput(io: Io): TextOutput {
  return io.textOutput ?? io.stdout;
}

/** The columns of a terminal; undefined for other streams, so that their text is not truncated or wrapped. */
export function getTerminalWidth(stream: OutputStream): number | undefined {
  return stream.isTTY === true ? stream.columns : undefined;
}

/** Reads all of standard input as text. @throws TextFileError */
export async function readStream(input: InputStream, signal: AbortSignal, maxBytes: number): Promise<string> {
  const stop = () => input.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await readTextStream(input, maxBytes);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
