/** How events add up to a limit, and when they stop counting. */

/** The events of one key, as a rule adds them up. */
export interface Count {
  /** Of the current window. */
  events: number;
  /** When the window ends, the delay ends, or all events are regained. */
  until: number;
  /** Times of the last events, for a rule that needs them. */
  times?: number[];
  delayMs?: number;
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

type Limit = Pick<CountingRule, 'max' | 'windowMs'>;

/** The window of a key starts with its first event; all its events stop counting at its end. */
export function fixedWindow({ max, windowMs }: Limit): CountingRule {
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

/** Each event counts for one window. When none is left, and for each event from then on, a delay doubles. */
export function delayed({
  max,
  windowMs,
  firstDelayMs,
  maxDelayMs,
}: Limit & { readonly firstDelayMs: number; readonly maxDelayMs: number }): CountingRule {
  const countRecent = ({ times = [] }: Count, now: number) => times.filter((at) => now - at <= windowMs).length;
  return {
    max,
    windowMs,
    add(count, at) {
      count.times = [...(count.times ?? []), at].slice(-max);
      const { delayMs = 0 } = count;
      if (delayMs === 0 && countRecent(count, at) < max) return;
      count.delayMs = Math.min(Math.max(delayMs * 2, firstDelayMs), maxDelayMs);
      count.until = Math.max(count.until, at + count.delayMs);
    },
    /** None during a delay; one after it. */
    countLeft(count, now) {
      if (count.until > now) return 0;
      return count.delayMs ? 1 : Math.max(0, max - countRecent(count, now));
    },
    computeWait: ({ until }, now) => until - now,
    computeExpiry: ({ times = [], until }) => Math.max(...times, until) + windowMs,
  };
}

/** One event is regained after each `windowMs` (GCRA, ITU-T I.371). */
export function regaining({ max, windowMs }: Limit): CountingRule {
  const computeDebt = ({ until }: Count, now: number) => Math.max(0, until - now);
  return {
    max,
    windowMs,
    add(count, at) {
      count.until = Math.min(Math.max(count.until, at) + windowMs, at + max * windowMs);
    },
    countLeft: (count, now) => max - Math.ceil(computeDebt(count, now) / windowMs),
    computeWait: (count, now) => computeDebt(count, now) - (max - 1) * windowMs,
    computeExpiry: ({ until }) => until,
  };
}
