/**
 * Limits the writing transactions of this process that run at once, first come first served. SERIALIZABLE transactions
 * that overlap on pages of an index fail and run again: fewer at once commit more per second.
 */
import { LinkedList } from '../../lib/linked-list.ts';

export class Lanes {
  readonly #count: number;
  #running = 0;
  #isAlone = false;
  readonly #waiting = new LinkedList<() => void>();
  /** Transactions that failed several times; they run before others, and without them. */
  readonly #waitingAlone = new LinkedList<() => void>();

  constructor(count: number) {
    this.#count = count;
  }

  /** Runs `work` in a lane. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#runFrom(this.#waiting, work);
  }

  /** Runs `work` while nothing else runs in a lane. */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#runFrom(this.#waitingAlone, work);
  }

  async #runFrom<Result>(waiting: LinkedList<() => void>, work: () => Promise<Result>): Promise<Result> {
    const started = new Promise<void>((resolve) => waiting.push(resolve));
    this.#start();
    await started;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#isAlone = false;
      this.#start();
    }
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
    waiting.remove(first);
    this.#running += 1;
    first.value();
    return true;
  }
}
