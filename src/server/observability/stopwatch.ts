/** Time that only goes on, for how long something took: the clock may be set. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Stopwatch {
  /** Milliseconds since some moment, with fractions. */
  now(): number;
}

export const systemStopwatch: Stopwatch = { now: () => performance.now() };

/** How long whatever is due had to wait for its turn in this process. */
export interface LoopDelay {
  /** Seconds since they were last asked for; begins to look with the first time, and finds nothing then. */
  readAndReset(): { readonly median: number; readonly p99: number; readonly max: number };
  stop(): void;
}

const resolutionMs = 10;

/** Looks for nothing, and costs nothing, until somebody asks. */
export function createLoopDelay(): LoopDelay {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
  // What is measured is the time from one look to the next, in nanoseconds.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  return {
    readAndReset() {
      if (!histogram) {
        histogram = monitorEventLoopDelay({ resolution: resolutionMs });
        histogram.enable();
      }
      const [median, p99] = [histogram.percentile(50), histogram.percentile(99)].map(seconds);
      const max = seconds(histogram.max);
      histogram.reset();
      return { median: median ?? 0, p99: p99 ?? 0, max };
    },
    stop: () => void histogram?.disable(),
  };
}
