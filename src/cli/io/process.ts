/** The only module of the command line that reads the process: variables, clock and streams. */

import { constants, fstatSync, readFileSync, realpathSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { isSea } from 'node:sea';
import type { Environment, Io, OutputStream } from './io.ts';

/** The variables, the clock and the folder of this process. */
export function processEnvironment(): Environment {
  return {
    variables: process.env,
    now: () => Date.now(),
    random: () => Math.random(),
    pause,
    workingFolder,
    missingPathFolder: () => findMissingPathFolder(programFile(), process.env.PATH ?? ''),
  };
}

/** The file that the user runs. */
function programFile(): string {
  return isSea() ? process.execPath : (process.argv[1] ?? '');
}

/** Returns the words that run this program again: an executable needs no script. */
export function programWords(): [file: string, ...script: string[]] {
  return isSea() ? [process.execPath] : [process.execPath, process.argv[1] ?? ''];
}

/** The folder of the program, unless the shell already finds this program as `iam`. */
function findMissingPathFolder(program: string, searchPath: string): string | undefined {
  const folder = path.dirname(resolveLink(program) ?? program);
  const own = ['iam', 'iam.js'].map((name) => path.join(folder, name));
  const candidates = searchPath.split(path.delimiter).map((entry) => resolveLink(path.join(entry, 'iam')));
  const found = candidates.find((file) => file !== undefined);
  return found !== undefined && own.includes(found) ? undefined : folder;
}

function resolveLink(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    // The file does not exist.
    return undefined;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // The folder was removed.
    return undefined;
  }
}

const standardOutput = 1;

/** The streams of this process, opened on first use because that takes milliseconds. `signal` aborts pending work. */
export function processIo(signal: AbortSignal, releaseSignals: () => void): Io {
  const output = (open: () => OutputStream) => lazy(() => keepFirstError(open()));
  const stdout = output(() => process.stdout);
  const stderr = output(() => process.stderr);
  let isReported = false;
  const reportOnce = (error: Error) => {
    if (!isReported) void reportTextFailure(error);
    isReported = true;
  };
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return stdout();
    },
    get stderr() {
      return stderr();
    },
    isStdoutNull: () => isNullDevice(standardOutput),
    textOutput: {
      get columns() {
        return isNonTerminal(standardOutput) ? undefined : stdout().columns;
      },
      write(text) {
        const rest = writeImmediately(standardOutput, text);
        if (rest.length > 0) stdout().write(rest, (error) => error && reportOnce(error));
      },
    },
    signal,
    releaseSignals,
  };
}

/**
 * An error of standard output is found and reported at the end of the command: see output-failure.ts. By then, Node has
 * reset `errored` of its own streams, which it does not destroy.
 */
function keepFirstError(stream: OutputStream): OutputStream {
  return stream
    .once('error', (value) => Object.defineProperty(stream, 'errored', { value }))
    .on('error', () => undefined);
}

/** For texts such as help. The output of a command is checked at its end: see output-failure.ts. */
async function reportTextFailure(error: Error): Promise<void> {
  const { isBrokenPipe, outputError } = await import('./output-failure.ts');
  if (isBrokenPipe(error)) return;
  process.stderr.write(`error: ${outputError(error).message}\n`);
  process.once('exit', () => {
    process.exitCode = 70;
  });
}

/**
 * Whether a descriptor is /dev/null for reading and writing: Node opens it in place of a closed one, and programs that discard
 * the output (`subprocess.DEVNULL` of Python) pass it, where a shell opens it for writing. Linux only.
 */
function isNullDevice(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isCharacterDevice() || stats.rdev !== statSync('/dev/null').rdev) return false;
    const [, flags = '0'] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & (constants.O_RDWR | constants.O_WRONLY)) === constants.O_RDWR;
  } catch {
    return false;
  }
}

function lazy<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/**
 * Writes to a file or a pipe without a stream, which takes milliseconds to open. @returns the rest for the stream:
 * everything for a terminal or an unknown descriptor, the remainder if a pipe is full.
 */
function writeImmediately(descriptor: number, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (!isNonTerminal(descriptor)) return bytes;
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(descriptor, bytes, at);
  } catch {
    // The stream gets and reports the same error.
  }
  return bytes.subarray(at);
}

/** Whether a descriptor is a file, pipe, socket or closed, and not a terminal. */
function isNonTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isCharacterDevice()) return stats.rdev === statSync('/dev/null').rdev;
    return stats.isFile() || stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
