/** When the next call may leave: so many in a time, and none while the server asked for peace. */

export interface Time {
  /** Milliseconds from anywhere. */
  now(): number;
  /** Ends early, without a failure, where the run is interrupted. */
  pause(milliseconds: number): Promise<void>;
}

export class Pace {
  readonly #time: Time;
  /** Milliseconds between two calls; 0 for no limit. */
  readonly #interval: number;
  #nextAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;

  constructor(time: Time, interval: number) {
    this.#time = time;
    this.#interval = interval;
  }

  /** Waits until a call may leave. */
  async turn(isOver: () => boolean): Promise<void> {
    const at = Math.max(this.#time.now(), this.#nextAt);
    this.#nextAt = at + this.#interval;
    for (;;) {
      const wait = Math.max(at, this.#heldUntil) - this.#time.now();
      if (wait <= 0 || isOver()) return;
      await this.#time.pause(wait);
    }
  }

  /** No call leaves for so long; those that are out already may end. */
  hold(milliseconds: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#time.now() + milliseconds);
  }
}
