/** Waits in real time that keep the process running: the server itself does not. */
import { clearTimeout, setTimeout } from '../lib/host.ts';

/**
 * Calls `work` with a signal that aborts after a time. A pending wait keeps the process running until then.
 * @throws Error with the description if nothing was found in this time; Error if the server was stopped before.
 */
export async function withDeadline<Found>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Found | undefined>,
  describeTimeout: () => string | Promise<string>,
): Promise<Found> {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), milliseconds);
  try {
    const found = await work(controller.signal);
    if (found !== undefined) return found;
    throw new Error(controller.signal.aborted ? await describeTimeout() : 'The server was stopped or reset.');
  } finally {
    clearTimeout(timeout);
  }
}
