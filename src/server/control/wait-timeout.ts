/** How long a caller of the control plane waits for something. */
import * as z from 'zod';
import type { Timer } from '../integrations/timer.ts';

const defaultSeconds = 10;
const maxSeconds = 60;

/** How long to wait, as a parameter. */
export const Timeout = z
  .string()
  .regex(/^\d{1,2}s?$/, 'must be seconds, such as 10 or 10s')
  .refine((text) => parseSeconds(text) <= maxSeconds, `must be at most ${maxSeconds} seconds`)
  .optional()
  .describe(`How long to wait: seconds, with or without an s, at most ${maxSeconds}; ${defaultSeconds} where missing`);

/** Does the work with a signal that is given when the time is over, or the caller has gone. */
export async function withTimeout<Result>(
  timeout: string | undefined,
  { disconnectSignal: gone, timer }: { disconnectSignal(): AbortSignal; readonly timer: Timer },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [signal, controller] = [gone(), new AbortController()];
  const abort = () => controller.abort();
  signal.addEventListener('abort', abort);
  const cancel = timer.after(parseSeconds(timeout ?? String(defaultSeconds)) * 1000, abort);
  try {
    return await work(controller.signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}

function parseSeconds(text: string): number {
  return Number.parseInt(text, 10);
}
