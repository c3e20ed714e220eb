/** Progress on standard error: one line on a terminal, otherwise a line every 1000 rows. */
import type { OutputStream } from '../io/io.ts';
import type { RowResult } from './execute-row.ts';

const redrawIntervalMs = 250;
const rowsPerLine = 1_000;
const barWidth = 24;
/** A shorter run has no meaningful rate. */
const minRateMs = 1_000;

export class Progress {
  readonly #stream: OutputStream;
  readonly #total: number;
  readonly #now: () => number;
  readonly #isQuiet: boolean;
  readonly #startedAt: number;
  #done = 0;
  #failed = 0;
  #unknown = 0;
  #lastDrawAt = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(stream: OutputStream, total: number, now: () => number, isQuiet: boolean) {
    this.#stream = stream;
    this.#total = total;
    this.#now = now;
    this.#isQuiet = isQuiet;
    this.#startedAt = now();
  }

  /** Counts a completed row. */
  increment(state: RowResult['state']): void {
    this.#done += 1;
    if (state === 'unknown') this.#unknown += 1;
    else if (state !== 'ok') this.#failed += 1;
    if (this.#isQuiet) return;
    if (this.#stream.isTTY) this.#draw();
    else if (this.#done % rowsPerLine === 0 && this.#done < this.#total)
      this.#stream.write(`${this.#formatCounts()}\n`);
  }

  /** Clears the line before other output. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }

  #draw(): void {
    const now = this.#now();
    if (now - this.#lastDrawAt < redrawIntervalMs) return;
    this.#lastDrawAt = now;
    const width = (this.#stream.columns ?? 80) - 1;
    const filled = Math.min(barWidth, Math.round((barWidth * this.#done) / this.#total));
    const status = [this.#formatCounts(), ...this.#formatRate(now)].join(', ');
    const bar = `[${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}] ${status}`;
    this.#stream.write(`\r${(bar.length > width ? status : bar).slice(0, width)}\u001b[K`);
    this.#isDrawn = true;
  }

  #formatCounts(): string {
    const failed = this.#failed > 0 ? `, ${this.#failed} failed` : '';
    const unknown = this.#unknown > 0 ? `, ${this.#unknown} unknown` : '';
    return `${this.#done} of ${this.#total} rows${failed}${unknown}`;
  }

  #formatRate(now: number): string[] {
    const elapsed = now - this.#startedAt;
    if (elapsed < minRateMs) return [];
    const rate = (this.#done * 1_000) / elapsed;
    return [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`, formatTimeLeft((this.#total - this.#done) / rate)];
  }
}

function formatTimeLeft(seconds: number): string {
  return seconds < 60 ? `${Math.ceil(seconds)} s left` : `${Math.ceil(seconds / 60)} min left`;
}
