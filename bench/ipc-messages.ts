/** Messages between the benchmark and the processes it measures. */

/** Resources used so far, and the longest block of the event loop since the last reset. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The heap in use after a full garbage collection; only in the reply to `collect`. */
  readonly heapBytes?: number;
  /** The longest block of the event loop, without the time in which other processes had the core. */
  readonly blockMs: number;
  /** The longest block in wall-clock time. */
  readonly wallBlockMs: number;
}

/** Commands to a measured server; the reply is its usage. `pause` and `watch` enclose a suspension. */
export type MonitorCommand = 'usage' | 'reset' | 'pause' | 'watch' | 'collect';

/** The fixed response of the floor. */
export interface FloorResponse {
  readonly status: number;
  /** Raw headers (name, value, name, value) without those that node:http adds. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** A request to the hash floor: verify this password for this time at this concurrency. */
export interface HashRequest {
  readonly password: string;
  readonly passwordHash: string;
  readonly concurrency: number;
  readonly milliseconds: number;
}
