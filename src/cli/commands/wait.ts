/** Waiting for what a server has yet to see: in calls that are shorter than what is waited for any answer. */
import { ClientError } from '../../client/errors.ts';
import { type ControlFilters, callControlPlane } from '../control-plane.ts';
import type { Context } from '../runtime/context.ts';
import { usageError } from '../runtime/errors.ts';
import { resolveSetting } from '../runtime/settings.ts';

export const waitDescription = 'how long to wait for one that comes: seconds, such as 10s';

interface WaitRequest {
  /** A route that answers once there is something, and 404 with this code after its `timeout`. */
  readonly path: string;
  readonly missing: string;
  readonly query: ControlFilters;
}

/** What comes before `end` (of `endOf`), or undefined. */
export async function waitFor<Found>(
  context: Context,
  waitRequest: WaitRequest,
  deadline: number,
): Promise<Found | undefined> {
  const maxTimeout = Math.max(
    1,
    Math.floor(Math.min(20, Number(resolveSetting('timeout', context.sources)?.value) * 0.8)),
  );
  for (;;) {
    const left = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
    const found = await pollOnce<Found>(context, waitRequest, Math.min(left, maxTimeout));
    if (found !== undefined || left <= maxTimeout) return found;
  }
}

async function pollOnce<Found>(
  context: Context,
  { path, missing, query }: WaitRequest,
  timeout: number,
): Promise<Found | undefined> {
  try {
    return (await callControlPlane(context, 'GET', path, { query: { ...query, timeout } })).body as Found;
  } catch (error) {
    if (error instanceof ClientError && error.code === missing) return undefined;
    throw error;
  }
}

/** When so many seconds are over. */
export function deadlineAfter(seconds: number): number {
  return performance.now() + seconds * 1000;
}

/** What --wait was given. @throws CliError. */
export function parseWaitSeconds(given: unknown): number {
  const [, seconds] = /^(\d{1,5})s?$/.exec(String(given)) ?? [];
  if (seconds === undefined) throw usageError('--wait takes seconds, such as 10s.');
  return Number(seconds);
}
