/** Caches of values that are derived from the rows of a table. Each store has its own. */

/** Identifies a kind of derived value, such as the response form of a group. */
export interface Derivation<Value> {
  readonly name: string;
  /** For the type only; never set. */
  readonly value?: Value;
}

/** The caches of one table. */
export class DerivedValues {
  readonly #byRow = new Map<Derivation<unknown>, WeakMap<object, unknown>>();
  #byKey = new Map<Derivation<unknown>, Map<string, unknown>>();

  /** See `TableReader.rowCache`. */
  rowCache<Value>(derivation: Derivation<Value>): WeakMap<object, Value> {
    const known = this.#byRow.get(derivation);
    if (known) return known as WeakMap<object, Value>;
    const created = new WeakMap<object, Value>();
    this.#byRow.set(derivation, created);
    return created;
  }

  /** See `TableReader.tableCache`. */
  tableCache<Value>(derivation: Derivation<Value>): Map<string, Value> {
    const known = this.#byKey.get(derivation);
    if (known) return known as Map<string, Value>;
    const created = new Map<string, Value>();
    this.#byKey.set(derivation, created);
    return created;
  }

  /** Discards the values that depend on more than one row, after a change to the table. */
  invalidate(): void {
    this.#byKey = new Map();
  }
}
