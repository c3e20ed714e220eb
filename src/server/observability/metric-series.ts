/** Requests, errors, logins and durations of the last hour, in intervals: a ring of counters in memory. */
import type { Clock } from '../lib/clock.ts';
import { countDuration, durationBounds } from './coverage.ts';

export const seriesIntervalSeconds = 10;
export const maxSeriesPoints = 360;

export interface SeriesRequest {
  /** Milliseconds. */
  readonly duration: number;
  /** Undefined if the connection was closed without a response. */
  readonly status: number | undefined;
  /** Whether success means that a token was issued for credentials. */
  readonly isLogin: boolean;
}

export interface SeriesPoint {
  /** Start of the interval, in milliseconds since the epoch. */
  readonly at: number;
  readonly requests: number;
  /** Responses from 400 on, and closed connections. */
  readonly errors: number;
  readonly logins: number;
  /** Percentiles of the durations, in seconds; absent without requests. */
  readonly median?: number;
  readonly p95?: number;
  readonly p99?: number;
}

export interface MetricSeries {
  add(request: SeriesRequest): void;
  /** The last intervals, oldest first; without requests they contain zeros. */
  list(count: number): SeriesPoint[];
}

interface Interval {
  /** Number of the interval since the epoch. */
  number: number;
  requests: number;
  errors: number;
  logins: number;
  /** Requests by duration: one for each bound, and the rest. */
  readonly durations: number[];
}

/** @param clock of the machine: intervals must not move with an adjusted clock. */
export function createMetricSeries(clock: Clock): MetricSeries {
  const ring: (Interval | undefined)[] = [];
  const currentNumber = () => Math.floor(clock.now().getTime() / 1000 / seriesIntervalSeconds);

  /** The interval of now; replaces the one of an hour ago. */
  function openInterval(): Interval {
    const number = currentNumber();
    const slot = number % maxSeriesPoints;
    const found = ring[slot];
    if (found?.number === number) return found;
    const created = { number, requests: 0, errors: 0, logins: 0, durations: Array(durationBounds.length + 1).fill(0) };
    ring[slot] = created;
    return created;
  }

  return {
    add({ duration, status, isLogin }) {
      const interval = openInterval();
      interval.requests += 1;
      if (status === undefined || status >= 400) interval.errors += 1;
      else if (isLogin) interval.logins += 1;
      countDuration(interval.durations, duration / 1000);
    },
    list(count) {
      const last = currentNumber();
      return Array.from({ length: Math.min(count, maxSeriesPoints) }, (_, at) => {
        const number = last - at;
        const found = ring[number % maxSeriesPoints];
        return toPoint(number, found?.number === number ? found : undefined);
      }).reverse();
    },
  };
}

function toPoint(number: number, interval: Interval | undefined): SeriesPoint {
  const at = number * seriesIntervalSeconds * 1000;
  if (!interval) return { at, requests: 0, errors: 0, logins: 0 };
  const { requests, errors, logins, durations } = interval;
  const percentile = (share: number) => findPercentile(durations, requests * share);
  return { at, requests, errors, logins, median: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
}

/** Interpolates within the bucket that contains the rank. Beyond the last bound the result is that bound. */
function findPercentile(durations: readonly number[], rank: number): number {
  let before = 0;
  for (const [at, count] of durations.entries()) {
    const upper = durationBounds[at];
    if (upper === undefined) break;
    const lower = durationBounds[at - 1] ?? 0;
    if (count > 0 && before + count >= rank) return lower + (upper - lower) * ((rank - before) / count);
    before += count;
  }
  return durationBounds.at(-1) ?? 0;
}
