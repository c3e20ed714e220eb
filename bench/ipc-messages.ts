/** What the run and the servers it measures tell each other. */

/** What a server has used so far, and how long it was away from its event loop since it was last asked to forget. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The longest block of the event loop, less the time for which others had the core. */
  readonly blockMs: number;
  /** The longest block as a clock on the wall saw it. */
  readonly wallBlockMs: number;
}

/** Orders to a measured server; each is answered with its usage. `pause` and `watch` frame a time in which it is stopped. */
export type MonitorCommand = 'usage' | 'reset' | 'pause' | 'watch';

/** What the floor answers to every request. */
export interface FloorResponse {
  readonly status: number;
  /** Name, value, name, value, as they stood on the wire, without those that node:http adds by itself. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** What the floor of hashes is to do: check this password for so long, so many times at once. */
export interface HashRequest {
  readonly password: string;
  readonly passwordHash: string;
  readonly atOnce: number;
  readonly milliseconds: number;
}
