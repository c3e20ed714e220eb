/** How events add up to a limit, and when they stop counting. */

/** The events of one key, as a rule adds them up. */
export interface Count {
  /** Of the current window. */
  events: number;
  /** When the window ends, the delay ends, or all events are regained. */
  until: number;
}

export interface CountingRule {
  readonly max: number;
  readonly windowMs: number;
  add(count: Count, at: number): void;
  countLeft(count: Count, now: number): number;
  /** If none is left: milliseconds until one is. */
  computeWait(count: Count, now: number): number;
  /** When the count equals one without events. */
  computeExpiry(count: Count): number;
}

/** The window of a key starts with its first event; all its events stop counting at its end. */
export function fixedWindow({ max, windowMs }: Pick<CountingRule, 'max' | 'windowMs'>): CountingRule {
  // Also if the clock was set back to before its start.
  const isOver = ({ until }: Count, now: number) => now >= until || now < until - windowMs;
  return {
    max,
    windowMs,
    add(count, at) {
      if (isOver(count, at)) Object.assign(count, { events: 0, until: at + windowMs });
      count.events += 1;
    },
    countLeft: (count, now) => (isOver(count, now) ? max : max - count.events),
    computeWait: (count, now) => count.until - now,
    computeExpiry: ({ until }) => until,
  };
}
