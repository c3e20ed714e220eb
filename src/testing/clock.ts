/** The clock of a server, for who runs it in his own process. */
import type { AdjustableClock } from '../server/adjustable-clock.ts';
import type { AppContext } from '../server/app-context.ts';
import { findExpiry } from '../server/control/expiry.ts';
import { parseDuration } from '../server/durations.ts';

/** A point in time: ISO 8601 with a time zone, or a Date. */
export type DateInput = string | Date;

export interface IamClock {
  /** What the server takes the time for. */
  now(): Date;
  /** Stands still from now on. */
  freeze(): void;
  /** Goes on from where it stands. */
  unfreeze(): void;
  /** Tells this time, and stands or goes on as before. @throws RangeError where that is none from 1970 to 2999. */
  set(time: DateInput): void;
  /** Goes forward: '90s', '10m', '1h30m', '7d', or milliseconds. Back with a minus sign. @throws RangeError. */
  advance(duration: string | number): void;
  /**
   * Goes to the end of a token (or its jti), a refresh token, a code (its challenge or message id), a session or a
   * ticket; `offset` later, or earlier: '-1s'. @throws Error where nothing of this name is known to end.
   */
  toExpiry(of: string, offset?: string | number): Promise<void>;
  /** Back to the time that the server was started with, or to the machine's. */
  reset(): void;
}

/** `prepare` brings a fresh clock to how the server was started. */
export function createIamClock(world: () => AppContext, prepare: (clock: AdjustableClock) => void): IamClock {
  const clock = () => world().clock;
  return {
    now: () => clock().now(),
    freeze: () => clock().freeze(),
    unfreeze: () => clock().unfreeze(),
    set: (time) => clock().set(parseDate(time)),
    advance: (duration) => clock().advance(toMilliseconds(duration)),
    async toExpiry(of, offset = 0) {
      const length = toMilliseconds(offset);
      const { store, issuer, verifier } = world();
      const end = await findExpiry(of, { store, issuer, verifier });
      if (end === undefined) throw new Error('Nothing by this name is known to end.');
      clock().set(new Date(end + length));
    },
    reset() {
      clock().reset();
      prepare(clock());
    },
  };
}

/** @throws RangeError where it is no time, or leaves open in which zone. */
export function parseDate(time: DateInput): Date {
  if (time instanceof Date) return time;
  const date = new Date(/T.*(Z|[+-]\d\d:\d\d)$/.test(time) ? time : Number.NaN);
  if (Number.isNaN(date.getTime())) throw new RangeError(`${time} is no time such as 2030-01-31T12:00:00Z.`);
  return date;
}

function toMilliseconds(duration: string | number): number {
  const length = typeof duration === 'number' ? duration : parseDuration(duration);
  if (length === undefined || !Number.isFinite(length))
    throw new RangeError(`${duration} is no length of time such as 90s, 10m, 1h30m or 7d.`);
  return length;
}
