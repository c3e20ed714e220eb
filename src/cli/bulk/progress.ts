/** Progress on standard error: a bar on a terminal, otherwise a line every 1000 rows. */
import type { OutputStream } from '../io/io.ts';

const redrawIntervalMs = 100;
const rowsPerLine = 1_000;
const barWidth = 24;

export class Progress {
  readonly #stream: OutputStream;
  readonly #total: number;
  readonly #now: () => number;
  readonly #isQuiet: boolean;
  #done = 0;
  #failed = 0;
  #lastDrawAt = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(stream: OutputStream, total: number, now: () => number, isQuiet: boolean) {
    this.#stream = stream;
    this.#total = total;
    this.#now = now;
    this.#isQuiet = isQuiet;
  }

  /** Counts a completed row. */
  increment(hasFailed: boolean): void {
    this.#done += 1;
    if (hasFailed) this.#failed += 1;
    if (this.#isQuiet) return;
    if (this.#stream.isTTY) this.#draw();
    else if (this.#done % rowsPerLine === 0 && this.#done < this.#total)
      this.#stream.write(`${this.#formatStatus()}\n`);
  }

  /** Clears the bar before other output. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }

  #draw(): void {
    const now = this.#now();
    if (now - this.#lastDrawAt < redrawIntervalMs) return;
    this.#lastDrawAt = now;
    const filled = Math.round((barWidth * this.#done) / this.#total);
    const bar = `[${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}] ${this.#formatStatus()}`;
    this.#stream.write(`\r${bar.slice(0, (this.#stream.columns ?? 80) - 1)}\u001b[K`);
    this.#isDrawn = true;
  }

  #formatStatus(): string {
    return `${this.#done} of ${this.#total} rows${this.#failed > 0 ? `, ${this.#failed} failed` : ''}`;
  }
}
