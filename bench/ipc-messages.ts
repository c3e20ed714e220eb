/** Messages between the benchmark and the processes it measures. */

/** CPU time used so far, and the longest block of the event loop since the last reset. */
export interface Usage {
  readonly cpuMs: number;
  /** The longest block of the event loop, without the time in which other processes had the core. */
  readonly blockMs: number;
  /** The longest block in wall-clock time. */
  readonly wallBlockMs: number;
}

/** Commands to a measured server; the reply is its usage. */
export type MonitorCommand = 'usage' | 'reset';

/** The fixed response of the floor. */
export interface FloorResponse {
  readonly status: number;
  /** Raw headers (name, value, name, value) without those that node:http adds. */
  readonly headers: readonly string[];
  readonly body: string;
}
