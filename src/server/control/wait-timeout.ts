/** Timeouts of long-polling routes. */
import * as z from 'zod';
import type { Timer } from '../lib/timer.ts';

const defaultSeconds = 10;
const maxSeconds = 60;

export const Timeout = z
  .string()
  .regex(/^\d{1,9}s?$/, 'must be seconds, such as 10 or 10s')
  .refine((text) => !(parseSeconds(text) > maxSeconds), `must be at most ${maxSeconds} seconds`)
  .optional()
  .meta({
    description: `Seconds to wait, with or without an s, at most ${maxSeconds}; default ${defaultSeconds}`,
    examples: ['10s'],
  });

/** Runs the work with a signal that aborts on timeout or when the client disconnects. */
export async function withTimeout<Result>(
  timeout: string | undefined,
  { disconnectSignal, timer }: { disconnectSignal(): AbortSignal; readonly timer: Timer },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [signal, controller] = [disconnectSignal(), new AbortController()];
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
