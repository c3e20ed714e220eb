/**
 * An overlay of a table: its rows, the keys it removes from overlays below, and indexes of these rows.
 *
 * Each overlay indexes its own rows only, so one rule reads any chain: an entry is visible unless an overlay above
 * contains or removes its key.
 */
import { DuplicateError } from '../store.ts';
import { findShape, indexValues, type StoredRow, type TableShape } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import { PlainIndex } from './plain-index.ts';
import { SortedKeys } from './sorted-keys.ts';

/**
 * The role of an overlay. A transient one, such as that of a transaction, builds each plain index on first use, as most
 * of them are never read.
 */
export type OverlayKind = 'base' | 'overlay' | 'transient';

export class TableOverlay {
  readonly shape: TableShape;
  readonly rows = new Map<string, StoredRow>();
  readonly keys = new SortedKeys();
  /** Removed keys, which overlays below may contain. Always empty in the base. */
  readonly removed = new Set<string>();
  readonly #isBase: boolean;
  readonly #unique = new Map<string, Map<string, string>>();
  /** The plain indexes built so far, by name. */
  readonly #index = new Map<string, PlainIndex>();

  constructor(shape: TableShape, kind: OverlayKind) {
    this.shape = shape;
    this.#isBase = kind === 'base';
    if (kind !== 'transient') for (const [name] of shape.index) this.#index.set(name, new PlainIndex());
  }

  /** Whether this overlay contains or removes the key. */
  covers(key: string): boolean {
    return this.rows.has(key) || this.removed.has(key);
  }

  /** The size of its largest map. */
  get largestMapSize(): number {
    let size = Math.max(this.rows.size, this.removed.size);
    for (const owners of this.#unique.values()) if (owners.size > size) size = owners.size;
    for (const index of this.#index.values()) if (index.size > size) size = index.size;
    return size;
  }

  /** The key of the row in this overlay that has the value in a unique index. */
  ownerOf(unique: string, value: string): string | undefined {
    return this.#unique.get(unique)?.get(value);
  }

  /** The keys of the rows in this overlay that have the value in a plain index. */
  matches(index: string, value: string): SortedKeys | undefined {
    return (this.#index.get(index) ?? this.#buildIndex(index)).get(value);
  }

  /** The number of rows in this overlay by their value in a plain index. */
  counts(index: string): Map<string, number> {
    return (this.#index.get(index) ?? this.#buildIndex(index)).counts();
  }

  /** @returns the units of work: one for the row and one for each index entry. */
  put(key: string, row: StoredRow): number {
    const previous = this.rows.get(key);
    if (previous !== undefined) this.#removeFromIndexes(key, previous);
    else this.keys.add(key);
    if (this.removed.size > 0) this.removed.delete(key);
    this.rows.set(key, row);
    return 1 + this.#addToIndexes(key, row);
  }

  /** Adds a row of a file to a base. @throws DuplicateError if another row has its key or a unique value. */
  load(key: string, row: StoredRow): void {
    if (this.rows.has(key)) throw new DuplicateError(this.shape.name, 'key');
    this.keys.add(key);
    this.rows.set(key, row);
    this.#addToIndexes(key, row, true);
  }

  /** @returns the units of work, as `put`. */
  remove(key: string): number {
    const work = this.drop(key);
    if (!this.#isBase) this.removed.add(key);
    return work;
  }

  /** Deletes the row or removal mark of the key from this overlay. @returns the units of work, as `put`. */
  drop(key: string): number {
    this.removed.delete(key);
    const previous = this.rows.get(key);
    if (previous === undefined) return 1;
    const entries = this.#removeFromIndexes(key, previous);
    this.keys.delete(key);
    this.rows.delete(key);
    return 1 + entries;
  }

  /** Merges all changes of an overlay above. */
  merge(upper: TableOverlay): void {
    for (const key of upper.removed) this.remove(key);
    for (const [key, row] of upper.rows) this.put(key, row);
  }

  #addToIndexes(key: string, row: StoredRow, areUnique = false): number {
    let entries = 0;
    for (const [name, values] of this.shape.unique) {
      for (const value of indexValues(values, row)) {
        const owners = getOrCreate(this.#unique, name, newMap);
        if (areUnique && (owners.get(value) ?? key) !== key) throw new DuplicateError(this.shape.name, name);
        owners.set(value, key);
      }
    }
    for (const [name, values] of this.shape.index) {
      const index = this.#index.get(name);
      if (index !== undefined) entries += addToIndex(index, key, indexValues(values, row));
    }
    return entries;
  }

  /** Builds an index and maintains it from now on. */
  #buildIndex(name: string): PlainIndex {
    const index = new PlainIndex();
    const values = this.shape.index.find(([declared]) => declared === name)?.[1];
    if (values === undefined) throw new Error(`The table ${this.shape.name} has no index ${name}.`);
    for (const [key, row] of this.rows) addToIndex(index, key, indexValues(values, row));
    this.#index.set(name, index);
    return index;
  }

  /** A unique value that now belongs to another row stays with that row. @returns the number of plain entries removed. */
  #removeFromIndexes(key: string, row: StoredRow): number {
    let entries = 0;
    for (const [name, values] of this.shape.unique) {
      const owners = this.#unique.get(name);
      for (const value of indexValues(values, row)) if (owners?.get(value) === key) owners.delete(value);
    }
    for (const [name, values] of this.shape.index) {
      const index = this.#index.get(name);
      for (const value of indexValues(values, row)) {
        index?.delete(value, key);
        entries += 1;
      }
    }
    return entries;
  }
}

/** @returns the number of entries added. */
function addToIndex(index: PlainIndex, key: string, values: readonly string[]): number {
  for (const value of values) index.add(value, key);
  return values.length;
}

function newMap<Value>(): Map<string, Value> {
  return new Map();
}

function getOrCreate<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}

/** An overlay of all tables; the overlay of a table is created with its first write. */
export class Overlay {
  readonly #kind: OverlayKind;
  readonly #tables = new Map<TableName, TableOverlay>();

  constructor(kind: OverlayKind) {
    this.#kind = kind;
  }

  /** The number of rows and removed keys. */
  get size(): number {
    let size = 0;
    for (const { rows, removed } of this.#tables.values()) size += rows.size + removed.size;
    return size;
  }

  get empty(): boolean {
    return this.size === 0;
  }

  peek(name: TableName): TableOverlay | undefined {
    return this.#tables.get(name);
  }

  table(name: TableName): TableOverlay {
    return getOrCreate(this.#tables, name, () => new TableOverlay(findShape(name) as TableShape, this.#kind));
  }

  /** Adds rows to an existing table. @throws DuplicateError for two rows with one key or unique value. */
  load(name: string, rows: Iterable<StoredRow>): void {
    const part = this.table(name as TableName);
    for (const row of rows) part.load(part.shape.key(row), row);
  }

  parts(): Iterable<TableOverlay> {
    return this.#tables.values();
  }

  merge(upper: Overlay): void {
    for (const part of upper.parts()) this.table(part.shape.name).merge(part);
  }
}

/** The overlays of one table. */
export function listTableOverlays(overlays: readonly Overlay[], name: TableName): TableOverlay[] {
  const parts: TableOverlay[] = [];
  for (const overlay of overlays) {
    const part = overlay.peek(name);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}
