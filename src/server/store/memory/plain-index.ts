/** The keys of rows by a value that several rows can have. */
import { SortedKeys } from './sorted-keys.ts';

export class PlainIndex {
  /** A single key is stored as it is: with 100,000 values of one row each, sets take 28 MB more. */
  readonly #keys = new Map<string, string | SortedKeys>();

  /** The number of values. */
  get size(): number {
    return this.#keys.size;
  }

  /** The keys of the rows that have the value. The set must not be changed. */
  get(value: string): SortedKeys | undefined {
    const keys = this.#keys.get(value);
    return typeof keys === 'string' ? SortedKeys.of(keys) : keys;
  }

  /** The number of rows by value. */
  counts(): Map<string, number> {
    return new Map([...this.#keys].map(([value, keys]) => [value, typeof keys === 'string' ? 1 : keys.size]));
  }

  add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, key);
    else if (typeof keys !== 'string') keys.add(key);
    else if (keys !== key) this.#keys.set(value, SortedKeys.of(keys, key));
  }

  delete(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (typeof keys === 'object') {
      keys.delete(key);
      if (keys.size > 0) return;
    } else if (keys !== key) return;
    this.#keys.delete(value);
  }
}
