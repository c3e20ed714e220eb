/** Rows by version, so that an unchanged row is parsed once and stays the same object: caches of a row stay valid. */
import type { StoredRow } from '../table-shape.ts';

/** A row as the database returns it; `body` is JSON text. */
export interface VersionedText {
  readonly version: string;
  readonly body: string;
}

/** Versions are random and never used twice, so a version determines the contents of a row. */
export class KnownRows {
  readonly #rows = new Map<string, StoredRow>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the frozen row. */
  parse({ version, body }: VersionedText): StoredRow {
    const known = this.#rows.get(version);
    if (known) return known;
    const row = deepFreeze(JSON.parse(body) as StoredRow);
    this.#rows.set(version, row);
    if (this.#rows.size > this.#capacity) this.#rows.delete(this.#oldest());
    return row;
  }

  /** A version returns as long as it is used: what was read longest ago is dropped first, also if it was read since. */
  #oldest(): string {
    return this.#rows.keys().next().value ?? '';
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
