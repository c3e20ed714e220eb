/** A monotonic clock for durations: the server clock is adjustable. */
import perfHooks, { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Stopwatch {
  /** Milliseconds since an arbitrary origin, with fractions. */
  now(): number;
}

const { performance } = perfHooks;

export const systemStopwatch: Stopwatch = { now: () => performance.now() };

/** Event-loop delay of this process. */
export interface LoopDelay {
  /** Delays since the last read, in seconds. The first read starts the measurement and returns zeros. */
  readAndReset(): { readonly median: number; readonly p99: number; readonly max: number };
  stop(): void;
}

const resolutionMs = 10;

/** Creates the monitor; it measures nothing until the first read. */
export function createLoopDelay(): LoopDelay {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
  // The histogram contains intervals between samples, in nanoseconds, including the resolution.
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
