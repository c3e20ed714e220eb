/**
 * One layer of one table: the rows it holds, the keys it hides, and indexes of exactly the rows it holds.
 *
 * Because every layer indexes its own rows only, one rule reads any chain of layers: what a layer says about a key
 * counts unless a layer above has a word on that key. So layers need no knowledge of one another.
 */
import type * as z from 'zod';
import { SortedKeys } from './sorted-keys.ts';
import { type TableName, tables } from './tables.ts';

/** A row as engines see it: they never look inside. */
export type StoredRow = Readonly<Record<string, unknown>>;

type IndexFunction = (row: StoredRow) => string | readonly string[] | undefined;

/** A table's declaration with the row's type forgotten. */
export interface TableShape {
  readonly name: TableName;
  readonly schema: z.ZodType<StoredRow>;
  readonly key: (row: StoredRow) => string;
  readonly unique: readonly (readonly [name: string, values: IndexFunction])[];
  readonly index: readonly (readonly [name: string, values: IndexFunction])[];
}

export const tableNames = Object.keys(tables) as TableName[];

const shapes = new Map<string, TableShape>(tableNames.map((name) => [name, createShape(name)]));

function createShape(name: TableName): TableShape {
  // The declarations differ in their row types; engines treat all rows alike, so the types are dropped here, once.
  const { schema, key, unique, index } = tables[name] as unknown as {
    schema: TableShape['schema'];
    key: TableShape['key'];
    unique: Record<string, IndexFunction>;
    index: Record<string, IndexFunction>;
  };
  return { name, schema, key, unique: Object.entries(unique), index: Object.entries(index) };
}

/** The shape of a table; undefined for a name that no table has (a file may say anything). */
export function findShape(name: string): TableShape | undefined {
  return shapes.get(name);
}

const NO_VALUES: readonly string[] = [];

/** The values an index function gives, as a list. One that comes twice does no harm: indexes hold sets. */
export function indexValues(values: IndexFunction, row: StoredRow): readonly string[] {
  const value = values(row);
  if (value === undefined) return NO_VALUES;
  return typeof value === 'string' ? [value] : value;
}

/**
 * What a layer is for. One that is only passing, as that of a transaction, is over before most of its indexes are ever
 * asked: each of its plain ones is kept from when it first is.
 */
export type OverlayKind = 'base' | 'overlay' | 'transient';

/** The keys of the rows that have a value. */
type PlainIndex = Map<string, SortedKeys>;

export class TableOverlay {
  readonly shape: TableShape;
  readonly rows = new Map<string, StoredRow>();
  readonly keys = new SortedKeys();
  /** Keys that layers below may hold and that are gone as seen from here. Always empty at the bottom. */
  readonly removed = new Set<string>();
  readonly #isBase: boolean;
  readonly #unique = new Map<string, Map<string, string>>();
  /** The plain indexes that are kept, by name. */
  readonly #index = new Map<string, PlainIndex>();

  constructor(shape: TableShape, kind: OverlayKind) {
    this.shape = shape;
    this.#isBase = kind === 'base';
    if (kind !== 'transient') for (const [name] of shape.index) this.#index.set(name, new Map());
  }

  /** Whether this layer has a word on the key, be it only that the row is gone. */
  mentions(key: string): boolean {
    return this.rows.has(key) || this.removed.has(key);
  }

  /** The key of the row of this layer that has the value in a unique index. */
  holder(unique: string, value: string): string | undefined {
    return this.#unique.get(unique)?.get(value);
  }

  /** The keys of the rows of this layer that have the value in a plain index. */
  matches(index: string, value: string): SortedKeys | undefined {
    return (this.#index.get(index) ?? this.#buildIndex(index)).get(value);
  }

  /** @returns how much work it was: the row, and each place that it has in an index. */
  put(key: string, row: StoredRow): number {
    const former = this.rows.get(key);
    if (former !== undefined) this.#removeFromIndexes(key, former);
    else this.keys.add(key);
    this.removed.delete(key);
    this.rows.set(key, row);
    return 1 + this.#addToIndexes(key, row);
  }

  remove(key: string): void {
    this.drop(key);
    if (!this.#isBase) this.removed.add(key);
  }

  /** Takes back whatever this layer says about the key. */
  drop(key: string): void {
    this.removed.delete(key);
    const former = this.rows.get(key);
    if (former === undefined) return;
    this.#removeFromIndexes(key, former);
    this.keys.delete(key);
    this.rows.delete(key);
  }

  /** Takes over everything that a layer above says. */
  merge(upper: TableOverlay): void {
    for (const key of upper.removed) this.remove(key);
    for (const [key, row] of upper.rows) this.put(key, row);
  }

  #addToIndexes(key: string, row: StoredRow): number {
    let places = 0;
    for (const [name, values] of this.shape.unique) {
      for (const value of indexValues(values, row)) getOrCreate(this.#unique, name, newMap).set(value, key);
    }
    for (const [name, values] of this.shape.index) {
      const index = this.#index.get(name);
      if (index !== undefined) places += addToIndex(index, key, indexValues(values, row));
    }
    return places;
  }

  /** Keeps this index from now on. */
  #buildIndex(name: string): PlainIndex {
    const index: PlainIndex = new Map();
    const values = this.shape.index.find(([declared]) => declared === name)?.[1];
    if (values === undefined) throw new Error(`The table ${this.shape.name} has no index ${name}.`);
    for (const [key, row] of this.rows) addToIndex(index, key, indexValues(values, row));
    this.#index.set(name, index);
    return index;
  }

  /** A unique value that another row took over meanwhile stays with that row. */
  #removeFromIndexes(key: string, row: StoredRow): void {
    for (const [name, values] of this.shape.unique) {
      const holders = this.#unique.get(name);
      for (const value of indexValues(values, row)) if (holders?.get(value) === key) holders.delete(value);
    }
    for (const [name, values] of this.shape.index) {
      const lists = this.#index.get(name);
      for (const value of indexValues(values, row)) {
        const keys = lists?.get(value);
        keys?.delete(key);
        if (keys?.size === 0) lists?.delete(value);
      }
    }
  }
}

/** @returns how many places it has there now. */
function addToIndex(index: PlainIndex, key: string, values: readonly string[]): number {
  for (const value of values) getOrCreate(index, value, newKeys).add(key);
  return values.length;
}

function newMap<Value>(): Map<string, Value> {
  return new Map();
}

function newKeys(): SortedKeys {
  return new SortedKeys();
}

function getOrCreate<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = make();
  map.set(key, created);
  return created;
}

/** One layer of all tables; a table's part is made when it is first written to. */
export class Overlay {
  readonly #kind: OverlayKind;
  readonly #tables = new Map<TableName, TableOverlay>();

  constructor(kind: OverlayKind) {
    this.#kind = kind;
  }

  /** How many rows it speaks of, be it only that they are gone. */
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
    return getOrCreate(this.#tables, name, () => new TableOverlay(shapes.get(name) as TableShape, this.#kind));
  }

  /** Puts rows into a table that is known to exist. */
  load(name: string, rows: Iterable<StoredRow>): void {
    const part = this.table(name as TableName);
    for (const row of rows) part.put(part.shape.key(row), row);
  }

  parts(): Iterable<TableOverlay> {
    return this.#tables.values();
  }

  merge(upper: Overlay): void {
    for (const part of upper.parts()) this.table(part.shape.name).merge(part);
  }
}

/** The part of each layer that is of this table. */
export function listTableOverlays(layers: readonly Overlay[], name: TableName): TableOverlay[] {
  const parts: TableOverlay[] = [];
  for (const layer of layers) {
    const part = layer.peek(name);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}
