/** Long polling of control plane routes, in requests that are shorter than the request timeout. */
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { unlessRejected } from './call-operation.ts';
import { type ControlFilters, callControlPlane } from './control-plane.ts';

export const waitDescription = 'maximum time to wait in seconds, such as 10s';

interface WaitRequest {
  /** A route that responds when a result exists, or with 404 and the code `missing` after its `timeout`. */
  readonly path: string;
  readonly missing: string;
  readonly query: ControlFilters;
}

/** Polls until a result exists; undefined after `deadline` (see `deadlineAfter`). */
export async function waitFor<Found>(
  context: Context,
  waitRequest: WaitRequest,
  deadline: number,
): Promise<Found | undefined> {
  const maxTimeout = Math.max(1, Math.floor(Math.min(20, Number(context.settings.get('timeout')?.value) * 0.8)));
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
  const request = callControlPlane(context, 'GET', path, { query: { ...query, timeout } });
  return (await unlessRejected(request, [missing]))?.body as Found | undefined;
}

/** Returns the deadline after `seconds`, in milliseconds of `performance.now()`. */
export function deadlineAfter(seconds: number): number {
  return performance.now() + seconds * 1000;
}

/** Parses the value of --wait to seconds. @throws CliError */
export function parseWaitSeconds(value: unknown): number {
  const [, seconds] = /^(\d{1,5})s?$/.exec(String(value)) ?? [];
  if (seconds === undefined) throw usageError('--wait must be a number of seconds, such as 10s.');
  return Number(seconds);
}
