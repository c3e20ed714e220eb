/** Progress of a run on standard error, on a terminal only. */
import type { OutputStream } from '../io/io.ts';

const redrawIntervalMs = 100;

export class SuiteProgress {
  readonly #stream: OutputStream;
  readonly #total: number;
  readonly #now: () => number;
  #done = 0;
  #different = 0;
  #lastDrawAt = Number.NEGATIVE_INFINITY;

  constructor(stream: OutputStream, total: number, now: () => number) {
    this.#stream = stream;
    this.#total = total;
    this.#now = now;
  }

  /** Counts the cases of a scenario. */
  add(cases: number, different: number): void {
    this.#done += cases;
    this.#different += different;
    const now = this.#now();
    if (now - this.#lastDrawAt < redrawIntervalMs) return;
    this.#lastDrawAt = now;
    const text = `${this.#done} of ${this.#total} cases, ${this.#different} different`;
    this.#stream.write(`\r${text.slice(0, (this.#stream.columns ?? 80) - 1)}\u001b[K`);
  }

  /** Clears the line before other output. */
  clear(): void {
    this.#stream.write('\r\u001b[K');
  }
}
