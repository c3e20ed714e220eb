/** Controls the clock of an in-process server. */

import { InputError } from '../client/index.ts';
import { apiError } from '../contract/errors.ts';
import type { AppContext } from '../server/app-context.ts';
import { findExpiry } from '../server/control/expiry.ts';
import { validateClockTime } from '../server/lib/adjustable-clock.ts';
import { parseDuration } from '../server/lib/durations.ts';

/** A point in time: ISO 8601 with a time zone, or a Date. */
export type DateInput = string | Date;

export interface IamClock {
  /** The current time of the server. */
  now(): Date;
  /** Stops the clock. */
  freeze(): void;
  /** Resumes the clock from its current time. */
  unfreeze(): void;
  /** Sets the time; the clock stays frozen or running. @throws InputError if it is not a time from 1970 to 2999. */
  set(time: DateInput): void;
  /** Advances the clock: '90s', '10m', '1h30m', '7d', or milliseconds; negative values move it back. @throws InputError. */
  advance(duration: string | number): void;
  /**
   * Sets the clock to the expiry of a token (or its jti), a refresh token, a code (its challenge or message id), a session
   * or a one-time token, plus `offset`, which can be negative: '-1s'. @throws IamError if nothing matches.
   */
  toExpiry(of: string, offset?: string | number): Promise<void>;
  /** Resets the clock to the start time of the server, or to the system time. */
  reset(): void;
}

/** Creates the clock control of the current app context. */
export function createIamClock(getContext: () => AppContext): IamClock {
  const clock = () => getContext().clock;
  function moveTo(time: Date): void {
    const problem = validateClockTime(time.getTime());
    if (problem !== undefined) throw new InputError(problem);
    clock().set(time);
  }
  return {
    now: () => clock().now(),
    freeze: () => clock().freeze(),
    unfreeze: () => clock().unfreeze(),
    set: (time) => moveTo(parseDate(time)),
    advance: (duration) => moveTo(new Date(clock().now().getTime() + toMilliseconds(duration))),
    async toExpiry(of, offset = 0) {
      const length = toMilliseconds(offset);
      const { store, issuer, verifier } = getContext();
      const end = await findExpiry(of, { store, issuer, verifier });
      if (end === undefined) throw apiError('EXPIRY_NOT_FOUND');
      moveTo(new Date(end + length));
    },
    reset: () => clock().resetToStart(),
  };
}

/** @throws InputError if it is not a time or has no time zone. */
export function parseDate(time: DateInput): Date {
  if (time instanceof Date) return time;
  const date = new Date(/T.*(Z|[+-]\d\d:\d\d)$/.test(time) ? time : Number.NaN);
  if (Number.isNaN(date.getTime())) throw new InputError(`${time} is not a time such as 2030-01-31T12:00:00Z.`);
  return date;
}

function toMilliseconds(duration: string | number): number {
  const length = typeof duration === 'number' ? duration : parseDuration(duration);
  if (length === undefined || !Number.isFinite(length))
    throw new InputError(`${duration} is not a duration such as 90s, 10m, 1h30m or 7d.`);
  return length;
}
