/**
 * Limits the writing transactions of this process that run at once, first come first served. SERIALIZABLE transactions
 * that overlap on pages of an index fail and run again: fewer at once commit more per second.
 */
import { LinkedList, type ListNode } from '../../lib/linked-list.ts';
import type { Timer } from '../../lib/timer.ts';
import { StoreUnavailableError, type UsageStats } from '../store.ts';

/** Milliseconds. Commits that wait for a missing standby hold their lanes for up to 20 seconds. */
const maxWait = 5_000;

export class Lanes {
  readonly #count: number;
  readonly #timer: Timer;
  #running = 0;
  #isAlone = false;
  #waitingCount = 0;
  readonly #waiting = new LinkedList<() => void>();
  /** Transactions that failed several times; they run before others, and without them. */
  readonly #waitingAlone = new LinkedList<() => void>();

  constructor(count: number, timer: Timer) {
    this.#count = count;
    this.#timer = timer;
  }

  /** Runs `work` in a lane. @throws StoreUnavailableError after five seconds without one; `work` has not run then */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#runFrom(this.#waiting, work);
  }

  /** Runs `work` while nothing else runs in a lane. @throws StoreUnavailableError as `run` does */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#runFrom(this.#waitingAlone, work);
  }

  stats(): UsageStats {
    return { inUse: this.#running, waiting: this.#waitingCount };
  }

  async #runFrom<Result>(waiting: LinkedList<() => void>, work: () => Promise<Result>): Promise<Result> {
    await this.#waitIn(waiting);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#isAlone = false;
      this.#start();
    }
  }

  #waitIn(waiting: LinkedList<() => void>): Promise<void> {
    this.#waitingCount += 1;
    return new Promise((resolve, reject) => {
      const place = waiting.push(() => {
        cancel();
        resolve();
      });
      const cancel = this.#timer.after(maxWait, () => {
        this.#remove(waiting, place);
        reject(new StoreUnavailableError('Earlier changes still wait for the database.'));
        // Those behind a transaction that must run alone may run now.
        this.#start();
      });
      this.#start();
    });
  }

  /** Starts what may run now. */
  #start(): void {
    if (this.#waitingAlone.first) {
      if (this.#running === 0) this.#isAlone = this.#startFirst(this.#waitingAlone);
      return;
    }
    while (!this.#isAlone && this.#running < this.#count && this.#startFirst(this.#waiting));
  }

  #startFirst(waiting: LinkedList<() => void>): boolean {
    const { first } = waiting;
    if (!first) return false;
    this.#remove(waiting, first);
    this.#running += 1;
    first.value();
    return true;
  }

  #remove(waiting: LinkedList<() => void>, place: ListNode<() => void>): void {
    waiting.remove(place);
    this.#waitingCount -= 1;
  }
}
