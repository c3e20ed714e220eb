/** Limits the request rate and pauses while the server asks clients to back off. */

export interface RateClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Resolves early if the run is interrupted. */
  pause(milliseconds: number): Promise<void>;
}

export class RateLimiter {
  readonly #clock: RateClock;
  /** Minimum milliseconds between two requests; 0 for no limit. */
  readonly #interval: number;
  #nextAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: RateClock, interval: number) {
    this.#clock = clock;
    this.#interval = interval;
  }

  /** Waits until a request may be sent. */
  async acquire(isOver: () => boolean): Promise<void> {
    const at = Math.max(this.#clock.now(), this.#nextAt);
    this.#nextAt = at + this.#interval;
    for (;;) {
      const wait = Math.max(at, this.#pausedUntil) - this.#clock.now();
      if (wait <= 0 || isOver()) return;
      await this.#clock.pause(wait);
    }
  }

  /** Blocks new requests for this time; requests in progress continue. */
  pauseFor(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
  }
}
