/**
 * Elapsed time that never runs backwards: while the clock is set back it stands still, so that what was counted before
 * counts as if just now, and no limit lasts until the clock is there again.
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
