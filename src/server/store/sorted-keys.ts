/** A set of strings kept in order, so that a page of a list is a binary search and a slice. */
export class SortedKeys {
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#keys[Symbol.iterator]();
  }

  at(position: number): string | undefined {
    return this.#keys[position];
  }

  /** Adding what is there already changes nothing. New keys mostly come last: that costs no search. */
  add(key: string): void {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) {
      this.#keys.push(key);
      return;
    }
    const position = this.#search(key);
    if (this.#keys[position] !== key) this.#keys.splice(position, 0, key);
  }

  delete(key: string): void {
    const position = this.#search(key);
    if (this.#keys[position] === key) this.#keys.splice(position, 1);
  }

  /** The position of the first key that comes after `after`. */
  seek(after: string | undefined): number {
    if (after === undefined) return 0;
    const position = this.#search(after);
    return this.#keys[position] === after ? position + 1 : position;
  }

  /** The position of the first key that is not less than `key`. */
  #search(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
