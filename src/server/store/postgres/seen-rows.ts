/**
 * What one transaction or call has read of one table, so that it reads nothing twice. The snapshot of a transaction does
 * not change, except by its own writes.
 */
import type { StoredRow } from '../table-shape.ts';

export class SeenRows {
  /** By key; undefined if there is no such row. */
  readonly #rows = new Map<string, StoredRow | undefined>();
  #results = new Map<string, readonly StoredRow[]>();
  /** Changes with each write: what was read before must not be added after it. */
  #epoch = 0;

  get epoch(): number {
    return this.#epoch;
  }

  get size(): number {
    return this.#rows.size;
  }

  has(key: string): boolean {
    return this.#rows.has(key);
  }

  get(key: string): StoredRow | undefined {
    return this.#rows.get(key);
  }

  set(key: string, row: StoredRow | undefined): void {
    this.#rows.set(key, row);
  }

  /** The result of the same query. */
  resultOf(query: string): readonly StoredRow[] | undefined {
    return this.#results.get(query);
  }

  setResult(query: string, rows: readonly StoredRow[]): void {
    this.#results.set(query, rows);
  }

  /** After a write to the row with this key. */
  discard(key: string): void {
    this.#epoch += 1;
    this.#rows.delete(key);
    if (this.#results.size > 0) this.#results = new Map();
  }

  clear(): void {
    this.#epoch += 1;
    this.#rows.clear();
    this.#results = new Map();
  }
}

/** What was read of all tables. */
export class SeenTables<Name> {
  readonly #tables = new Map<Name, SeenRows>();

  of(name: Name): SeenRows {
    const known = this.#tables.get(name);
    if (known) return known;
    const created = new SeenRows();
    this.#tables.set(name, created);
    return created;
  }

  /** After the end of the transaction: each access asks the database, and fails. */
  clear(): void {
    for (const rows of this.#tables.values()) rows.clear();
  }
}
