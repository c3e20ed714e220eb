import { precedes } from '../../lib/code-points.ts';

/** Maximum keys per chunk: short enough for a cheap insertion in the middle. */
const CHUNK_LENGTH = 512;

/** A set of strings, sorted by code point as all engines do. Reading a page takes one binary search and a scan. */
export class SortedKeys {
  /** Non-empty chunks, in order: all keys of a chunk precede those of the next. */
  readonly #chunks: string[][] = [];
  #size = 0;

  static of(...keys: readonly string[]): SortedKeys {
    const sorted = new SortedKeys();
    for (const key of keys) sorted.add(key);
    return sorted;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a key, unless it is present. */
  add(key: string): void {
    const last = this.#chunks.at(-1);
    if (last === undefined) this.#chunks.push([key]);
    // New keys mostly come last, as those of a checkpoint do.
    else if (precedes(last.at(-1) as string, key)) this.#append(last, key);
    else if (!this.#insert(key)) return;
    this.#size += 1;
  }

  #append(last: string[], key: string): void {
    if (last.length < CHUNK_LENGTH) last.push(key);
    else this.#chunks.push([key]);
  }

  /** @returns false if the key is present. */
  #insert(key: string): boolean {
    const number = this.#chunkOf(key);
    const chunk = this.#chunks[number] as string[];
    const position = search(chunk, key);
    if (chunk[position] === key) return false;
    chunk.splice(position, 0, key);
    if (chunk.length > CHUNK_LENGTH) this.#chunks.splice(number + 1, 0, chunk.splice(CHUNK_LENGTH / 2));
    return true;
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
    const { number, position } = this.#find(after);
    return new KeyCursor(this.#chunks, number, position);
  }

  /** The first `limit` keys after `after`, or of all keys. */
  slice(after: string | undefined, limit: number): string[] {
    const { number, position } = this.#find(after);
    const keys = this.#chunks[number]?.slice(position, position + limit) ?? [];
    for (let next = number + 1; keys.length < limit && next < this.#chunks.length; next += 1)
      for (const key of this.#chunks[next]?.slice(0, limit - keys.length) ?? []) keys.push(key);
    return keys;
  }

  *[Symbol.iterator](): IterableIterator<string> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  /** The position of the first key after `after`, or of the first one; it may be the end of its chunk. */
  #find(after: string | undefined): { readonly number: number; readonly position: number } {
    if (after === undefined) return { number: 0, position: 0 };
    const number = this.#chunkOf(after);
    const chunk = this.#chunks[number] ?? [];
    const position = search(chunk, after);
    return { number, position: chunk[position] === after ? position + 1 : position };
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
