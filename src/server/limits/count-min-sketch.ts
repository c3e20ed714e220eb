/**
 * Counts failures by name in fixed memory, for when the limit of individual counters is reached: a count-min sketch
 * (Cormode and Muthukrishnan, 2005). A count may be too high if names share cells, and too low only after `clear`,
 * which clears the cells of a name.
 */
import { hash } from 'node:crypto';

const rows = 2;
const cells = 2 ** 20;
/** Higher counts stay at this one. */
export const maxSketchCount = 255;

/** Failures within one time slice. */
interface Slice {
  readonly number: number;
  readonly counts: Uint8Array;
}

export class CountMinSketch {
  readonly #sliceMs: number;
  #current: Slice | undefined;
  #previous: Slice | undefined;

  /** @param sliceMs a failure counts for at least this long, and at most twice as long. */
  constructor(sliceMs: number) {
    this.#sliceMs = sliceMs;
  }

  add(name: string, now: number): void {
    this.#advance(now);
    this.#current ??= { number: this.#numberAt(now), counts: new Uint8Array(rows * cells) };
    const { counts } = this.#current;
    for (const cell of cellsOf(name)) counts[cell] = Math.min((counts[cell] ?? 0) + 1, maxSketchCount);
  }

  count(name: string, now: number): number {
    this.#advance(now);
    if (!this.#current && !this.#previous) return 0;
    const countIn = (cell: number) => (this.#current?.counts[cell] ?? 0) + (this.#previous?.counts[cell] ?? 0);
    return Math.min(...cellsOf(name).map(countIn));
  }

  clear(name: string): void {
    for (const slice of [this.#current, this.#previous])
      for (const cell of cellsOf(name)) slice?.counts.fill(0, cell, cell + 1);
  }

  /** Milliseconds until the older failures expire. */
  remaining(now: number): number {
    return (this.#numberAt(now) + 1) * this.#sliceMs - now;
  }

  #advance(now: number): void {
    const number = this.#numberAt(now);
    const isPast = (slice: Slice | undefined) => slice !== undefined && slice.number < number;
    if (isPast(this.#current)) [this.#previous, this.#current] = [this.#current, undefined];
    if (this.#previous && this.#previous.number < number - 1) this.#previous = undefined;
  }

  #numberAt(now: number): number {
    return Math.floor(now / this.#sliceMs);
  }
}

function cellsOf(name: string): number[] {
  const digest = hash('sha256', name, 'buffer');
  return Array.from({ length: rows }, (_, row) => row * cells + (digest.readUInt32BE(row * 4) % cells));
}
