/** How long a caller of the control plane waits for something. */
import * as z from 'zod';
import type { Timer } from '../ports/timer.ts';

const usualSeconds = 10;
const mostSeconds = 60;

/** How long to wait, as a parameter. */
export const Timeout = z
  .string()
  .regex(/^\d{1,2}s?$/, 'must be seconds, such as 10 or 10s')
  .refine((text) => secondsOf(text) <= mostSeconds, `must be at most ${mostSeconds} seconds`)
  .optional()
  .describe(`How long to wait: seconds, with or without an s, at most ${mostSeconds}; ${usualSeconds} where missing`);

/** Does the work with a signal that is given when the time is over, or the caller has gone. */
export async function withTimeout<Result>(
  timeout: string | undefined,
  { gone, timer }: { gone(): AbortSignal; readonly timer: Timer },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [signal, over] = [gone(), new AbortController()];
  const giveUp = () => over.abort();
  signal.addEventListener('abort', giveUp);
  const callOff = timer.after(secondsOf(timeout ?? String(usualSeconds)) * 1000, giveUp);
  try {
    return await work(over.signal);
  } finally {
    callOff();
    signal.removeEventListener('abort', giveUp);
  }
}

function secondsOf(text: string): number {
  return Number.parseInt(text, 10);
}
