/** When the next call may leave: so many in a time, and none while the server asked for peace. */

export interface RateClock {
  /** Milliseconds from anywhere. */
  now(): number;
  /** Ends early, without a failure, where the run is interrupted. */
  pause(milliseconds: number): Promise<void>;
}

export class RateLimiter {
  readonly #clock: RateClock;
  /** Milliseconds between two calls; 0 for no limit. */
  readonly #interval: number;
  #nextAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: RateClock, interval: number) {
    this.#clock = clock;
    this.#interval = interval;
  }

  /** Waits until a call may leave. */
  async acquire(isOver: () => boolean): Promise<void> {
    const at = Math.max(this.#clock.now(), this.#nextAt);
    this.#nextAt = at + this.#interval;
    for (;;) {
      const wait = Math.max(at, this.#pausedUntil) - this.#clock.now();
      if (wait <= 0 || isOver()) return;
      await this.#clock.pause(wait);
    }
  }

  /** No call leaves for so long; those that are out already may end. */
  pauseFor(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
  }
}
