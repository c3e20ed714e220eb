/** Waits in real time that keep the process running: the server itself does not. */
import { clearTimeout, setTimeout } from '../lib/host.ts';

/** Calls `work` with a signal that aborts after a time. A pending wait keeps the process running until then. */
export async function withDeadline<Result>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), milliseconds);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timeout);
  }
}
