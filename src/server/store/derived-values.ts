/** Caches of values that are derived from the rows of a table. Each store has its own. */

/** Identifies a kind of derived value, such as the response form of a group. */
export interface Derivation<Value> {
  readonly name: string;
  /** For the type only; never set. */
  readonly value?: Value;
}

/** Values that are derived from one row each. */
export interface RowCache<Row extends object, Value> {
  get(row: Row): Value | undefined;
  set(row: Row, value: Value): void;
}

/** The rows of a generation: the response of a group and its JSON take about 1 kB, so that all of a cache take 100 MB. */
const generationSize = 50_000;

/**
 * Keeps the values of the rows that were used last: a full generation replaces the older one. A hit changes nothing, and
 * nothing retains a row that was replaced or deleted.
 */
export class RecentRows<Row extends object, Value extends object> implements RowCache<Row, Value> {
  #recent = new WeakMap<Row, Value>();
  #older = new WeakMap<Row, Value>();
  #size = 0;
  readonly #capacity: number;

  /** @param capacity rows of each of the two generations */
  constructor(capacity = generationSize) {
    this.#capacity = capacity;
  }

  get(row: Row): Value | undefined {
    const recent = this.#recent.get(row);
    if (recent !== undefined) return recent;
    const older = this.#older.get(row);
    if (older !== undefined) this.#add(row, older);
    return older;
  }

  set(row: Row, value: Value): void {
    if (this.#recent.has(row)) this.#recent.set(row, value);
    else this.#add(row, value);
  }

  #add(row: Row, value: Value): void {
    if (this.#size === this.#capacity) {
      this.#older = this.#recent;
      this.#recent = new WeakMap();
      this.#size = 0;
    }
    this.#recent.set(row, value);
    this.#size += 1;
  }
}

export class DerivedValues {
  readonly #byRow = new Map<Derivation<object>, RowCache<object, object>>();
  #byKey = new Map<Derivation<unknown>, Map<string, unknown>>();

  rowCache<Value extends object>(derivation: Derivation<Value>): RowCache<object, Value> {
    const known = this.#byRow.get(derivation);
    if (known) return known as RowCache<object, Value>;
    const created = new RecentRows<object, Value>();
    this.#byRow.set(derivation, created);
    return created;
  }

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
