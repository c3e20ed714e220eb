/** Rows by version, so that an unchanged row is parsed once and stays the same object: caches of a row stay valid. */
import type { StoredRow } from '../table-shape.ts';

/** A row as the database returns it; `body` is JSON text. */
export interface VersionedText {
  readonly version: string;
  readonly body: string;
}

/**
 * Versions are random and never used twice, so a version determines the contents of a row. Rows are in two generations: the
 * older is dropped as a whole, as the first entry of a map with many removed ones is found slowly.
 */
export class KnownRows {
  #recent = new Map<string, StoredRow>();
  #older = new Map<string, StoredRow>();
  readonly #generationSize: number;

  /** @param capacity about as many rows; those that are used again stay */
  constructor(capacity: number) {
    this.#generationSize = Math.ceil(capacity / 2);
  }

  /** Returns the frozen row. */
  parse({ version, body }: VersionedText): StoredRow {
    const recent = this.#recent.get(version);
    if (recent) return recent;
    const row = this.#older.get(version) ?? deepFreeze(JSON.parse(body) as StoredRow);
    if (this.#recent.size >= this.#generationSize) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(version, row);
    return row;
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
