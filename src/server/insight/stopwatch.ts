/** Time that only goes on, for how long something took: the clock may be set. */
export interface Stopwatch {
  /** Milliseconds since some moment, with fractions. */
  now(): number;
}

export const systemStopwatch: Stopwatch = { now: () => performance.now() };
