/** Calls that may be made again without harm are, where the server was only busy or the connection broke. */
import { setTimeout as pause } from 'node:timers/promises';
import { ClientError, NetworkError } from '../../client/errors.ts';
import { usageError } from './errors.ts';
import { resolveSetting, type SettingSources } from './settings.ts';

export interface RetryOptions {
  /** Milliseconds that all waits together may take. */
  readonly maxWait: number;
  /** A read is repeated after a broken connection too; a write that may have arrived is not: its second try could fail for that. */
  readonly isRead: boolean;
  readonly signal: AbortSignal;
  /** A number from 0 up to 1, by chance: callers that were sent away together do not come back together. */
  random(): number;
  notice(text: string): void;
}

const maxAttempts = 3;
const firstDelayMs = 100;
/** Waits shorter than this are not worth a word. */
const noticeAfterMs = 1_000;
const busyStatuses: readonly number[] = [429, 502, 503, 504];
const brokenConnectionCodes: readonly string[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Runs `work` until it succeeds, fails for good, or waiting would take too long. */
export async function withRetries<Result>(rules: RetryOptions, work: () => Promise<Result>): Promise<Result> {
  let waited = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const wait = attempt < maxAttempts ? computeDelay(error, attempt, rules) : undefined;
      if (wait === undefined || waited + wait > rules.maxWait) throw error;
      waited += wait;
      if (wait >= noticeAfterMs) rules.notice(`The server is busy; trying again in ${Math.ceil(wait / 1000)} s.`);
      await pause(wait, undefined, { signal: rules.signal });
    }
  }
}

/** What the server asks for, else a time that doubles, up to half of it left to chance so that callers part. */
function computeDelay(error: unknown, attempt: number, { isRead, random }: RetryOptions): number | undefined {
  const jittered = firstDelayMs * 2 ** (attempt - 1) * (0.5 + random() / 2);
  if (error instanceof ClientError && busyStatuses.includes(error.status))
    return error.retryAfter === undefined ? jittered : error.retryAfter * 1000;
  return isRead && error instanceof NetworkError && brokenConnectionCodes.includes(error.code) ? jittered : undefined;
}

/** The longest that waiting may take, as it was set. */
export function readMaxWait(sources: SettingSources): number {
  const { value = '', origin = '' } = resolveSetting('max-wait', sources) ?? {};
  if (/^\d{1,5}(\.\d+)?$/.test(value)) return Number(value) * 1000;
  throw usageError(`${origin} must be a number of seconds, not ${JSON.stringify(value)}.`);
}
