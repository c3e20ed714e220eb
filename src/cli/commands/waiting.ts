/** Waiting for what a server has yet to see: in calls that are shorter than what is waited for any answer. */
import { ClientError } from '../../client/errors.ts';
import { callControl, type Filters } from '../control.ts';
import type { Context } from '../runtime/context.ts';
import { usageError } from '../runtime/failures.ts';
import { resolve } from '../runtime/settings.ts';

export const waitMeans = 'how long to wait for one that comes: seconds, such as 10s';

interface Awaited {
  /** A route that answers once there is something, and 404 with this code after its `timeout`. */
  readonly path: string;
  readonly missing: string;
  readonly query: Filters;
}

/** What comes before `end` (of `endOf`), or undefined. */
export async function waitedFor<Found>(context: Context, awaited: Awaited, end: number): Promise<Found | undefined> {
  const longest = Math.max(1, Math.floor(Math.min(20, Number(resolve('timeout', context.sources)?.value) * 0.8)));
  for (;;) {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    const found = await waitOnce<Found>(context, awaited, Math.min(left, longest));
    if (found !== undefined || left <= longest) return found;
  }
}

async function waitOnce<Found>(
  context: Context,
  { path, missing, query }: Awaited,
  timeout: number,
): Promise<Found | undefined> {
  try {
    return (await callControl(context, 'GET', path, { query: { ...query, timeout } })).body as Found;
  } catch (error) {
    if (error instanceof ClientError && error.code === missing) return undefined;
    throw error;
  }
}

/** When so many seconds are over. */
export function endOf(seconds: number): number {
  return performance.now() + seconds * 1000;
}

/** What --wait was given. @throws CliError. */
export function secondsOf(given: unknown): number {
  const [, seconds] = /^(\d{1,5})s?$/.exec(String(given)) ?? [];
  if (seconds === undefined) throw usageError('--wait takes seconds, such as 10s.');
  return Number(seconds);
}
