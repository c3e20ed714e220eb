/** What the command line is given of the world around it; tests give their own. */
import type { Readable, Writable } from 'node:stream';
import type * as storeTools from '../../server/store-tools.ts';

export type StoreModule = typeof storeTools;

import type { Prompter } from './prompter.ts';

export type InputStream = Readable & { readonly isTTY?: boolean | undefined };
export type OutputStream = Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

/** Standard output for a text that is all there is to print, such as help. */
export interface TextOutput {
  /** Of the terminal, where it is one. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface Io {
  readonly stdin: InputStream;
  /** Data only. */
  readonly stdout: OutputStream;
  /** The same, for a text that needs no stream; `stdout` where it is left out. */
  readonly textOutput?: TextOutput | undefined;
  /** Progress, notices, prompts and errors. */
  readonly stderr: OutputStream;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Leaves signals to somebody else, whose handlers are there by then: the server stops cleanly by its own. */
  readonly releaseSignals: () => void;
  /** Who asks in place of the terminal. */
  readonly prompter?: Prompter | undefined;
}

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 up to 1, by chance. */
  readonly random: () => number;
  /** Resolves after so many milliseconds, or early where the signal is aborted; at once where left out. */
  readonly pause?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** Where the command was typed; nothing where that folder is gone, or does not matter. */
  readonly workingFolder?: (() => string | undefined) | undefined;
  /** What works on the files of stores, where that is not the built code of the server. */
  readonly storeTools?: (() => Promise<StoreModule>) | undefined;
}

/** Where a text goes that is all there is to print. */
export function getTextOutput(io: Io): TextOutput {
  return io.textOutput ?? io.stdout;
}

/** The columns of the terminal that a stream is; nothing where it is none, so that nothing is cut or broken there. */
export function getTerminalWidth(stream: OutputStream): number | undefined {
  return stream.isTTY === true ? stream.columns : undefined;
}

/** Reads all of standard input as text. */
export async function readStream(input: InputStream, signal: AbortSignal): Promise<string> {
  const stop = () => input.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of input) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
