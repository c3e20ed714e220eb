/** Retries idempotent requests if the server is busy or the connection breaks. */
import { setTimeout as pause } from 'node:timers/promises';
import { ClientError, NetworkError } from '../../client/errors.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { CliSettings } from '../config/settings.ts';
import { usageError } from '../errors.ts';

export interface RetryOptions {
  /** Max total milliseconds of all waits. */
  readonly maxWait: number;
  /** Only reads are retried after a broken connection: a write may have taken effect, and its retry could fail. */
  readonly isRead: boolean;
  readonly signal: AbortSignal;
  /** A random number from 0 up to 1, for jitter: rejected callers must not all retry at once. */
  random(): number;
  notice(text: string): void;
}

const maxAttempts = 3;
const firstDelayMs = 100;
/** Shorter waits print no notice. */
const noticeAfterMs = 1_000;
const busyStatuses: readonly number[] = [429, 502, 503, 504];
/** The write may have taken effect. */
const unknownOutcome: ErrorCode = 'OUTCOME_UNKNOWN';
const brokenConnectionCodes: readonly string[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Runs `work` until it succeeds, fails permanently, or the wait would exceed the limit. */
export async function withRetries<Result>(rules: RetryOptions, work: () => Promise<Result>): Promise<Result> {
  let waited = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const wait = attempt < maxAttempts ? computeDelay(error, attempt, rules) : undefined;
      if (wait === undefined || waited + wait > rules.maxWait) throw error;
      waited += wait;
      if (wait >= noticeAfterMs) rules.notice(`The server is busy. Retrying in ${Math.ceil(wait / 1000)} s.`);
      await pause(wait, undefined, { signal: rules.signal });
    }
  }
}

/** The Retry-After of the server, or exponential backoff with up to 50 % jitter. */
function computeDelay(error: unknown, attempt: number, { isRead, random }: RetryOptions): number | undefined {
  const jittered = firstDelayMs * 2 ** (attempt - 1) * (0.5 + random() / 2);
  if (error instanceof ClientError && error.code === unknownOutcome) return isRead ? jittered : undefined;
  if (error instanceof ClientError && busyStatuses.includes(error.status))
    return error.retryAfter === undefined ? jittered : error.retryAfter * 1000;
  return isRead && error instanceof NetworkError && brokenConnectionCodes.includes(error.code) ? jittered : undefined;
}

/** Reads the max-wait setting in milliseconds. @throws CliError (exit 2) if it is not valid */
export function readMaxWait(settings: CliSettings): number {
  const { value = '', origin = '' } = settings.get('max-wait') ?? {};
  if (/^\d{1,5}(\.\d+)?$/.test(value)) return Number(value) * 1000;
  throw usageError(`${origin} must be a number of seconds, not ${JSON.stringify(value)}.`);
}
