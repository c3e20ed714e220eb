/** Counts the running attempts per key and queues the attempts that wait for a slot. */

interface Attempts {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Does not enforce a limit itself: the caller checks `count`, then acquires a slot or waits. Keys exist only while
 * attempts run or wait, so memory is bounded by the number of open requests.
 */
export class ConcurrentAttempts {
  readonly #attempts = new Map<string, Attempts>();

  count(key: string): number {
    return this.#attempts.get(key)?.running ?? 0;
  }

  acquire(keys: readonly string[]): void {
    for (const key of keys) this.#of(key).running += 1;
  }

  release(keys: readonly string[]): void {
    for (const key of keys) {
      const attempts = this.#of(key);
      attempts.running -= 1;
      this.wake(key);
    }
  }

  /** Resolves when an attempt has ended. The resolved waiter checks again, and wakes the next one unless it waits again. */
  wait(key: string): Promise<void> {
    return new Promise((resolve) => this.#of(key).waiting.add(resolve));
  }

  /** Wakes the attempt that has waited longest. */
  wake(key: string): void {
    const attempts = this.#of(key);
    const [first] = attempts.waiting;
    if (first) attempts.waiting.delete(first);
    if (attempts.running === 0 && attempts.waiting.size === 0) this.#attempts.delete(key);
    first?.();
  }

  #of(key: string): Attempts {
    const attempts = this.#attempts.get(key) ?? { running: 0, waiting: new Set() };
    this.#attempts.set(key, attempts);
    return attempts;
  }
}
