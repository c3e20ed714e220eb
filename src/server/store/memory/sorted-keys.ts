import { precedes } from '../../lib/code-points.ts';

/** Maximum keys per chunk: short enough for a cheap insertion in the middle. */
const CHUNK_LENGTH = 512;

/** A set of strings, sorted by code point as all engines do. Reading a page takes one binary search and a scan. */
export class SortedKeys {
  /** Non-empty chunks, in order: all keys of a chunk precede those of the next. */
  readonly #chunks: string[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a key, unless it is present. */
  add(key: string): void {
    const chunk = this.#chunks[this.#chunkToExtend(key)];
    if (chunk === undefined) this.#chunks.push([key]);
    else if (!insertInOrder(chunk, key)) return;
    else if (chunk.length > CHUNK_LENGTH) this.#split(chunk);
    this.#size += 1;
  }

  delete(key: string): void {
    const number = this.#chunkOf(key);
    const chunk = this.#chunks[number];
    if (chunk === undefined) return;
    const position = search(chunk, key);
    if (chunk[position] !== key) return;
    chunk.splice(position, 1);
    if (chunk.length === 0) this.#chunks.splice(number, 1);
    this.#size -= 1;
  }

  /** A cursor over the keys after `after`, or all keys. The set must not change while it is in use. */
  cursor(after?: string): KeyCursor {
    if (after === undefined) return new KeyCursor(this.#chunks, 0, 0);
    const number = this.#chunkOf(after);
    const chunk = this.#chunks[number] ?? [];
    const position = search(chunk, after);
    return new KeyCursor(this.#chunks, number, chunk[position] === after ? position + 1 : position);
  }

  *[Symbol.iterator](): IterableIterator<string> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  /** As `#chunkOf`, without a search for a key that comes last: a checkpoint is loaded in order. */
  #chunkToExtend(key: string): number {
    const last = this.#chunks.at(-1)?.at(-1);
    return last !== undefined && precedes(last, key) ? this.#chunks.length - 1 : this.#chunkOf(key);
  }

  /** The index of the only chunk that may contain the key. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (precedes(key, this.#chunks[middle]?.[0] as string)) high = middle - 1;
      else low = middle;
    }
    return low;
  }

  /** The last chunk is split at its end, so that keys added in order fill their chunks. */
  #split(chunk: string[]): void {
    const number = this.#chunks.indexOf(chunk);
    const last = number === this.#chunks.length - 1;
    this.#chunks.splice(number + 1, 0, chunk.splice(last ? CHUNK_LENGTH : CHUNK_LENGTH / 2));
  }
}

/** A position among the keys. */
export class KeyCursor {
  readonly #chunks: readonly (readonly string[])[];
  #chunk: number;
  #position: number;

  constructor(chunks: readonly (readonly string[])[], chunk: number, position: number) {
    this.#chunks = chunks;
    this.#chunk = chunk;
    this.#position = position;
    this.#skipExhaustedChunk();
  }

  /** The key at this position; undefined at the end. */
  get key(): string | undefined {
    return this.#chunks[this.#chunk]?.[this.#position];
  }

  advance(): void {
    this.#position += 1;
    this.#skipExhaustedChunk();
  }

  #skipExhaustedChunk(): void {
    const chunk = this.#chunks[this.#chunk];
    if (chunk === undefined || this.#position < chunk.length) return;
    this.#chunk += 1;
    this.#position = 0;
  }
}

/** @returns false if the key is present. */
function insertInOrder(chunk: string[], key: string): boolean {
  // New keys mostly come last.
  if (precedes(chunk.at(-1) as string, key)) {
    chunk.push(key);
    return true;
  }
  const position = search(chunk, key);
  if (chunk[position] === key) return false;
  chunk.splice(position, 0, key);
  return true;
}

/** The position of the first key that is not less than `key`. */
function search(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (precedes(chunk[middle] as string, key)) low = middle + 1;
    else high = middle;
  }
  return low;
}
