/** One write that callers wait for. A write that hangs releases them after a time limit: no request depends on it. */
import type { Timer } from '../lib/timer.ts';

/** Longer than a slow disk takes, shorter than any client waits. */
export const writeLimitMs = 2_000;

export class WriteAttempt {
  /** Resolves when the write has succeeded or failed, or at the time limit. */
  readonly ended: Promise<void>;
  #resolve = () => {};
  readonly #cancel: () => void;

  constructor(timer: Timer, onLimit: () => void) {
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#cancel = timer.after(writeLimitMs, onLimit);
  }

  end(): void {
    this.#cancel();
    this.#resolve();
  }
}
