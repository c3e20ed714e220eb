/** The one place of the command line that reads the process: its variables, its clock, its streams. */
import type { Environment, Io } from './runtime/io.ts';

/** The variables and the clock of this process. */
export function processEnvironment(): Environment {
  return { variables: process.env, now: () => Date.now() };
}

/** The streams of this process; `signal` ends what is under way. */
export function processIo(signal: AbortSignal, releaseSignals: () => void): Io {
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, signal, releaseSignals };
}
