/** How many attempts run at once under each key, and who waits for one of them to end. */

interface Attempts {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * The limit is the caller's to know: it looks at `running`, then acquires or waits. Exists only while attempts run or wait,
 * so its memory is bounded by the calls under way.
 */
export class AttemptSlots {
  readonly #attempts = new Map<string, Attempts>();

  running(key: string): number {
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

  /** Resolves when an attempt has ended. The one that was waiting looks again, and wakes the next unless it waits on. */
  wait(key: string): Promise<void> {
    return new Promise((resolve) => this.#of(key).waiting.add(resolve));
  }

  /** Lets the one that has waited longest look again. */
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
