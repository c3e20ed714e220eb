/** Waits in real time that keep the process running: the server itself does not. */
import { StandinError } from '../contract/standin-error.ts';
import { clearTimeout, setTimeout } from '../lib/host.ts';

/** A wait without a result: nothing arrived in time, or the server was stopped or reset before. */
export class WaitError extends StandinError {
  override readonly name = 'WaitError';
  readonly code: 'WAIT_TIMEOUT' | 'WAIT_ENDED';

  constructor(message: string, code: WaitError['code']) {
    super(message);
    this.code = code;
  }
}

/**
 * Calls `work` with a signal that aborts after a time. A pending wait keeps the process running until then.
 * @throws WaitError with the description if nothing was found in this time, or if the server was stopped before.
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
    if (controller.signal.aborted) throw new WaitError(await describeTimeout(), 'WAIT_TIMEOUT');
    throw new WaitError('The server was stopped or reset.', 'WAIT_ENDED');
  } finally {
    clearTimeout(timeout);
  }
}
