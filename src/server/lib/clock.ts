import { Date as RealDate } from '../../lib/host.ts';

/** The only source of time. Other modules receive a Clock. */
export interface Clock {
  now(): Date;
}

/** The real time, also where a test has replaced the global `Date`. */
export const systemClock: Clock = { now: () => new RealDate() };

/** The time of the process, which a test can fake. The bundler replaces the name `Date`, but not this property. */
export const processClock: Clock = { now: () => new globalThis.Date() };

/** Whole seconds since the epoch, as JWTs count time (RFC 7519, NumericDate). */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000);
}
