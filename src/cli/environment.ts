/** The one place of the command line that reads the process: its variables, its clock, its streams. */

import type { Environment, Io, OutputStream } from './runtime/io.ts';
import { isNonTerminal, writeImmediately } from './runtime/sync-write.ts';

/** The variables, the clock and the folder of this process. */
export function processEnvironment(): Environment {
  return { variables: process.env, now: () => Date.now(), random: () => Math.random(), pause, workingFolder };
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
    // It was removed meanwhile.
    return undefined;
  }
}

const standardOutput = 1;

/** The streams of this process, each opened when it is first used, which takes milliseconds; `signal` ends what is under way. */
export function processIo(signal: AbortSignal, releaseSignals: () => void): Io {
  const output = (name: 'stdout' | 'stderr') =>
    lazy((): OutputStream => process[name].on('error', exitUnlessBrokenPipe));
  const [stdout, stderr] = [output('stdout'), output('stderr')];
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
    textOutput: {
      get columns() {
        return isNonTerminal(standardOutput) ? undefined : stdout().columns;
      },
      write(text) {
        const rest = writeImmediately(standardOutput, text);
        if (rest.length > 0) stdout().write(rest);
      },
    },
    signal,
    releaseSignals,
  };
}

/** A reader that has gone, as in `iam groups list | head`, is no failure; a full disk is one, and nothing can go on. */
function exitUnlessBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`error: The output can't be written: ${error.message}\n`);
  process.exit(1);
}

function lazy<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
