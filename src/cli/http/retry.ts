/** Waits before a request is sent again: while the server cannot be reached, is busy, or a repetition is harmless. */
import { ClientError, NetworkError } from '../../client/errors.ts';
import { type CliSettings, defaultOrigin } from '../config/settings.ts';
import { CliError, UnknownOutcomeError, usageError } from '../errors.ts';
import type { Environment } from '../io/io.ts';
import { isTransientNetworkError } from './network-failure.ts';

export interface MaxWait {
  /** The time from the first attempt to the last, in milliseconds. */
  readonly milliseconds: number;
  /** It is set: then a server that cannot be reached is waited for. */
  readonly isChosen: boolean;
}

export interface RetryRules {
  readonly maxWait: MaxWait;
  readonly environment: Pick<Environment, 'now' | 'random' | 'pause'>;
  readonly signal: AbortSignal;
  /** Called before the first wait for a server that cannot be reached. */
  onUnreachable(): void;
  /** Called before each wait for a busy server. */
  onBusy(milliseconds: number): void;
}

/** A failed attempt. */
export interface FailedAttempt {
  readonly failure: unknown;
  readonly isSent: boolean;
  readonly isIdempotent: boolean;
}

const firstDelayMs = 100;
/** A server that restarts is found soon. */
const maxDelayMs = 1_000;

/**
 * Starts the time of a request. The result waits after a failed attempt, and returns whether to send the request again.
 * An interrupt of the command ends a wait, also if the request has a signal of its own.
 */
export function startRetries(
  rules: RetryRules,
  ofRequest = rules.signal,
): (attempt: FailedAttempt) => Promise<boolean> {
  const { environment, maxWait } = rules;
  const startedAt = environment.now();
  let waited = 0;
  let attempts = 0;
  let isAnnounced = false;
  return async (attempt) => {
    attempts += 1;
    const delay = computeDelay(attempt, attempts, rules);
    const signal = AbortSignal.any([rules.signal, ofRequest]);
    if (delay === undefined || signal.aborted) return false;
    const left = maxWait.milliseconds - Math.max(waited, environment.now() - startedAt);
    const wait = delay.isExact ? delay.milliseconds : Math.min(delay.milliseconds, left);
    if (left <= 0 || wait > left) return false;
    if (attempt.failure instanceof ClientError) rules.onBusy(wait);
    else if (!attempt.isSent && !isAnnounced) rules.onUnreachable();
    isAnnounced ||= !attempt.isSent;
    waited += wait;
    await environment.pause?.(wait, signal);
    return !signal.aborted;
  };
}

interface Delay {
  readonly milliseconds: number;
  /** The server asked for it: a shorter wait is useless. */
  readonly isExact: boolean;
}

/** The time before the next attempt; undefined if there is none. */
export function computeDelay(
  attempt: FailedAttempt,
  attempts: number,
  { maxWait, environment }: Pick<RetryRules, 'maxWait' | 'environment'>,
): Delay | undefined {
  const { failure } = attempt;
  const response = failure instanceof UnknownOutcomeError ? failure.response : failure;
  const retryAfter = response instanceof ClientError ? response.retryAfter : undefined;
  if (!isRetried(attempt, maxWait)) return undefined;
  // Retry-After: 0 is no reason to send without a pause.
  if (retryAfter !== undefined) return { milliseconds: Math.max(firstDelayMs, retryAfter * 1000), isExact: true };
  const backoff = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 10));
  // Up to 50 % jitter: rejected callers must not all retry at once.
  return { milliseconds: backoff * (0.5 + environment.random() / 2), isExact: false };
}

/** The statuses of a server or a gateway that takes no further requests for a while. */
export const busyStatuses: readonly number[] = [429, 503];
const gatewayStatuses: readonly number[] = [502, 503, 504];
const passingStatuses: readonly number[] = [...busyStatuses, ...gatewayStatuses];

/** Whether another attempt can do no harm, and can succeed. */
function isRetried({ failure, isSent, isIdempotent }: FailedAttempt, { isChosen }: MaxWait): boolean {
  if (failure instanceof UnknownOutcomeError) {
    const { response } = failure;
    // Without an answer the server may still be at work: its write could follow the next one of this caller.
    return isIdempotent && response?.items.length === 0 && passingStatuses.includes(response.status);
  }
  if (failure instanceof ClientError) {
    if (busyStatuses.includes(failure.status)) return isIdempotent || failure.retryAfter !== undefined;
    return isIdempotent && gatewayStatuses.includes(failure.status);
  }
  if (failure instanceof NetworkError && isTransientNetworkError(failure))
    return isSent ? isIdempotent && failure.code !== 'TIMEOUT' : isChosen;
  // The process guard found that the local server is not running.
  return failure instanceof CliError && failure.exitCode === 75 && isChosen;
}

/** Reads the max-wait setting. @throws CliError (exit 2) if it is not valid */
export function readMaxWait(settings: CliSettings): MaxWait {
  const { value = '', origin = '' } = settings.get('max-wait') ?? {};
  if (/^\d{1,5}(\.\d+)?$/.test(value))
    return { milliseconds: Number(value) * 1000, isChosen: origin !== defaultOrigin };
  throw usageError(`${origin} must be a number of seconds, not ${JSON.stringify(value)}.`);
}
