/** Runs another program so that this process ends after it, also on a signal. Needs only Node. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';

const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
/** One Ctrl-C arrives twice: from the terminal, and from the npm that runs this script. */
const sameSignalMs = 1000;

/**
 * Runs a program whose output goes to standard error. It gets the first signal that this process gets, and is killed at a
 * second Ctrl-C.
 * @param onStart is called with the id of the process
 * @param onSignal is called at the first signal
 * @returns its exit code, the signal that this process has got, with which the caller ends, and whether the program was killed.
 * @throws if it cannot be run
 */
export async function runChild(command, args, { onStart, onSignal, ...options } = {}) {
  // In a process group of its own, so that the signals of a terminal reach it once: npm stops its cleanup at the second.
  const child = spawn(command, args, { ...options, stdio: ['ignore', 2, 2], detached: process.platform !== 'win32' });
  let received;
  let receivedAt = 0;
  let isKilled = false;
  const listener = (signal) => {
    if (received === undefined) {
      received = signal;
      receivedAt = performance.now();
      child.kill(signal);
      onSignal?.();
    } else if (signal === 'SIGINT' && performance.now() - receivedAt > sameSignalMs) {
      isKilled = child.kill('SIGKILL');
    }
  };
  for (const signal of signals) process.on(signal, listener);
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (status, signal) => resolve(status ?? exitCodeOf(signal)));
      if (child.pid !== undefined) onStart?.(child.pid);
    });
    return { code, signal: received, isKilled };
  } finally {
    for (const signal of signals) process.removeListener(signal, listener);
  }
}

const exitCodeOf = (signal) => 128 + constants.signals[signal];

/** Ends this process with a signal that it has handled, so that its parent learns of it. */
export function endWith(signal) {
  process.exitCode = exitCodeOf(signal);
  process.kill(process.pid, signal);
  process.exit();
}
