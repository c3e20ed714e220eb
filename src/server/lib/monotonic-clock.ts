/**
 * Elapsed time that never decreases. It ignores backward steps of the clock, so that no limit is extended until the clock
 * reaches its old time again.
 */
import type { Clock } from './clock.ts';

/** @returns milliseconds since an arbitrary moment. */
export type MonotonicClock = () => number;

export function createMonotonicClock(clock: Clock): MonotonicClock {
  let last = clock.now().getTime();
  let elapsed = 0;
  return () => {
    const now = clock.now().getTime();
    elapsed += Math.max(0, now - last);
    last = now;
    return elapsed;
  };
}
