/** Table access: readers over an overlay chain, and writers into its topmost overlay. */
import { precedes } from '../../lib/code-points.ts';
import type { Pause } from '../../lib/event-loop-turns.ts';
import type { Derivation, DerivedValues, RowCache } from '../derived-values.ts';
import { collectReachedRows, valuesOf } from '../reach.ts';
import { diffSortedRows } from '../row-changes.ts';
import { DuplicateError, MissingRowError, type Range, type Reader, type Transaction } from '../store.ts';
import { findShape, indexValues, type StoredRow, type TableShape, tableNames } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import { createTablesOnAccess } from '../tables-on-access.ts';
import { assertInsertable, assertReplaceable, type Capacity } from './capacity.ts';
import type { ReadSet } from './long-transaction.ts';
import type { TableOverlay } from './overlay.ts';
import {
  countByValue,
  countRows,
  type OverlayChain,
  readAllRows,
  readMatches,
  readRow,
  readUnique,
} from './overlay-chain.ts';

/** Rows that a transaction reads in one piece: a millisecond of work. */
const ROWS_PER_SLICE = 1_000;

/** The overlay chains that a reader reads from. */
export interface View {
  /** The current overlays of one table. @throws once the transaction has ended. */
  chainOf(name: TableName): OverlayChain;
  /** The caches of one table. */
  derivedOf(name: TableName): DerivedValues;
  /** Whether the rows are durable. A transaction sees its own writes, and must not cache values derived from them by key. */
  readonly durable: boolean;
  /** Awaited before each access, so that a loop over many rows yields to the event loop. */
  readonly pause: Pause;
  /** Of a transaction that runs beside others. */
  readonly reads?: ReadSet | undefined;
}

export interface WritableView extends View {
  readonly capacity: Capacity;
  /** The overlay of one table that receives the writes. */
  topOf(name: TableName): TableOverlay;
}

/** Creates readers for all tables. */
export function createReader(view: View): Reader {
  const readers: Partial<Record<TableName, ReadAccess<View>>> = {};
  for (const name of tableNames) readers[name] = new ReadAccess(name, view);
  return readers as unknown as Reader;
}

/** Creates a transaction. */
export function createTransaction(view: WritableView): Transaction {
  return createTablesOnAccess((name) => new WriteAccess(name, view));
}

class ReadAccess<Kind extends View> {
  readonly name: TableName;
  readonly view: Kind;

  constructor(name: TableName, view: Kind) {
    this.name = name;
    this.view = view;
  }

  async get(key: string): Promise<StoredRow | undefined> {
    const pausing = this.view.pause();
    if (pausing) await pausing;
    this.view.reads?.addKey(this.name, key);
    return readRow(this.view.chainOf(this.name), key);
  }

  async getMany(keys: readonly string[]): Promise<readonly StoredRow[]> {
    const rows: StoredRow[] = [];
    const length = this.view.durable ? keys.length : ROWS_PER_SLICE;
    for (let at = 0; at < keys.length; at += length) {
      const slice = keys.slice(at, at + length);
      const pausing = this.view.pause(slice.length);
      if (pausing) await pausing;
      const chain = this.view.chainOf(this.name);
      for (const key of slice) {
        this.view.reads?.addKey(this.name, key);
        const row = readRow(chain, key);
        if (row !== undefined) rows.push(row);
      }
    }
    return rows;
  }

  async getLinked(index: string, key: string): Promise<readonly StoredRow[]> {
    const row = await this.get(key);
    if (row === undefined) return [];
    const keys = valuesOf(shapeOf(this.name), index, row);
    return keys.length === 0 ? [row] : [row, ...(await this.getMany(keys))];
  }

  async getBy(unique: string, value: string): Promise<StoredRow | undefined> {
    const pausing = this.view.pause();
    if (pausing) await pausing;
    const row = readUnique(this.view.chainOf(this.name), unique, value);
    this.view.reads?.addValue(this.name, unique, value);
    if (row !== undefined) this.view.reads?.addKey(this.name, shapeOf(this.name).key(row));
    return row;
  }

  async find(index: string, value: string, range: Range = {}): Promise<readonly StoredRow[]> {
    const { name, view } = this;
    view.reads?.addValue(name, index, value);
    return this.readInSlices((slice) => {
      const rows = readMatches(view.chainOf(name), index, value, slice);
      if (view.reads !== undefined) for (const row of rows) view.reads.addKey(name, shapeOf(name).key(row));
      return rows;
    }, range);
  }

  async findMany(index: string, values: readonly string[]): Promise<readonly StoredRow[]> {
    const { name, view } = this;
    const { key: keyOf, unique } = shapeOf(name);
    const isUnique = unique.some(([declared]) => declared === index);
    const [first] = values;
    if (values.length === 1 && first !== undefined && !isUnique) return this.find(index, first);
    const matches = new Map<string, StoredRow>();
    for (const value of values) {
      const found = isUnique ? await this.findUnique(index, value) : await this.find(index, value);
      for (const row of found) matches.set(keyOf(row), row);
      const pausing = view.pause(found.length);
      if (pausing) await pausing;
    }
    return sortByKey(matches);
  }

  async findInOrder(index: string, values: readonly string[], { after, limit }: Range): Promise<readonly StoredRow[]> {
    const rows: StoredRow[] = [];
    for (const [at, value] of values.entries()) {
      const left = limit === undefined ? undefined : limit - rows.length;
      if (left === 0) break;
      for (const row of await this.find(index, value, { after: at === 0 ? after : undefined, limit: left }))
        rows.push(row);
    }
    return rows;
  }

  async reach(index: string, keys: readonly string[]): Promise<readonly StoredRow[]> {
    const { name, view } = this;
    return collectReachedRows({
      shape: shapeOf(name),
      index,
      keys,
      get: (key) => {
        view.reads?.addKey(name, key);
        return readRow(view.chainOf(name), key);
      },
      pause: view.pause,
    });
  }

  async findReaching(along: string, index: string, value: string): Promise<readonly StoredRow[]> {
    const { key: keyOf } = shapeOf(this.name);
    const reaching = new Map<string, StoredRow>();
    const open = [...(await this.find(index, value))];
    for (let row = open.pop(); row !== undefined; row = open.pop()) {
      const key = keyOf(row);
      if (reaching.has(key)) continue;
      reaching.set(key, row);
      open.push(...(await this.find(along, key)));
    }
    return sortByKey(reaching);
  }

  async list(range: Range = {}): Promise<readonly StoredRow[]> {
    this.view.reads?.addAll(this.name);
    return this.readInSlices((slice) => readAllRows(this.view.chainOf(this.name), slice), range);
  }

  /**
   * Reads a long list of a transaction in slices: its rows do not change meanwhile, or the transaction runs again. A plain
   * read is a view of one moment, so it is in one piece. Not a #method: guards derive objects from this one.
   */
  protected async readInSlices(read: (range: Range) => StoredRow[], range: Range): Promise<readonly StoredRow[]> {
    const { view } = this;
    const pausing = view.pause();
    if (pausing) await pausing;
    const { limit = Number.POSITIVE_INFINITY } = range;
    if (view.durable || limit <= ROWS_PER_SLICE) return read(range);
    const { key: keyOf } = shapeOf(this.name);
    const rows: StoredRow[] = [];
    let { after } = range;
    for (;;) {
      const slice = read({ after, limit: Math.min(ROWS_PER_SLICE, limit - rows.length) });
      rows.push(...slice);
      const last = slice.at(-1);
      if (last === undefined || slice.length < ROWS_PER_SLICE) return rows;
      after = keyOf(last);
      await view.pause(slice.length);
    }
  }

  private async findUnique(unique: string, value: string): Promise<readonly StoredRow[]> {
    const row = await this.getBy(unique, value);
    return row === undefined ? [] : [row];
  }

  async count(): Promise<number> {
    this.view.reads?.addAll(this.name);
    return countRows(this.view.chainOf(this.name));
  }

  async countBy(index: string): Promise<ReadonlyMap<string, number>> {
    this.view.reads?.addAll(this.name);
    return countByValue(this.view.chainOf(this.name), index);
  }

  rowCache<Value extends object>(derivation: Derivation<Value>): RowCache<object, Value> {
    return this.view.derivedOf(this.name).rowCache(derivation);
  }

  tableCache<Value>(derivation: Derivation<Value>): Map<string, Value> | undefined {
    return this.view.durable ? this.view.derivedOf(this.name).tableCache(derivation) : undefined;
  }
}

class WriteAccess extends ReadAccess<WritableView> {
  async isTaken(unique: string, value: string): Promise<boolean> {
    return (unique === 'key' ? await this.get(value) : await this.getBy(unique, value)) !== undefined;
  }

  async insert(input: StoredRow): Promise<void> {
    const pausing = this.view.pause();
    if (pausing) await pausing;
    const chain = this.view.chainOf(this.name);
    assertInsertable(chain, this.view.capacity);
    const { key, row } = this.parse(input);
    if (readRow(chain, key) !== undefined) throw new DuplicateError(this.name, 'key');
    this.put(chain, key, row);
  }

  async replace(input: StoredRow): Promise<void> {
    const pausing = this.view.pause();
    if (pausing) await pausing;
    const chain = this.view.chainOf(this.name);
    assertReplaceable(chain, this.view.capacity);
    const { key, row } = this.parse(input);
    if (readRow(chain, key) === undefined) throw new MissingRowError(this.name);
    this.put(chain, key, row);
  }

  async delete(key: string): Promise<boolean> {
    const pausing = this.view.pause();
    if (pausing) await pausing;
    this.view.reads?.addKey(this.name, key);
    if (readRow(this.view.chainOf(this.name), key) === undefined) return false;
    this.view.topOf(this.name).remove(key);
    return true;
  }

  async replaceAll(rows: readonly StoredRow[]): Promise<void> {
    const { name, view } = this;
    const shape = shapeOf(name);
    await this.keepRows(rows);
    const before = await this.readInSlices((slice) => readAllRows(view.chainOf(name), slice), {});
    const { removed, changed, added } = await diffSortedRows(shape, before, rows, view.pause);
    for (const row of [...removed, ...changed.map(([row]) => row)]) {
      const pausing = view.pause();
      if (pausing) await pausing;
      view.topOf(name).remove(shape.key(row));
    }
    for (const input of [...changed.map(([, row]) => row), ...added]) {
      const pausing = view.pause();
      if (pausing) await pausing;
      const chain = view.chainOf(name);
      assertInsertable(chain, view.capacity);
      const row = shape.schema.parse(input);
      const key = shape.key(row);
      if (view.reads === undefined && readRow(chain, key) !== undefined) throw new DuplicateError(name, 'key');
      this.put(chain, key, row);
    }
  }

  /** Keeps what other transactions commit meanwhile out of the table. @throws DuplicateError for two rows with one key */
  private async keepRows(rows: readonly StoredRow[]): Promise<void> {
    const { name, view } = this;
    if (view.reads === undefined) return;
    const { key: keyOf } = shapeOf(name);
    const rowsByKey = new Map<string, StoredRow>();
    for (const row of rows) {
      const pausing = view.pause();
      if (pausing) await pausing;
      rowsByKey.set(keyOf(row), row);
    }
    if (rowsByKey.size < rows.length) throw new DuplicateError(name, 'key');
    view.reads.addReplacement(name, rowsByKey);
  }

  /** @returns a row to write, whose key and unique values are read. */
  private parse(input: StoredRow): { readonly key: string; readonly row: StoredRow } {
    const { name, view } = this;
    const { schema, key: keyOf, unique } = shapeOf(name);
    const row = schema.parse(input);
    const key = keyOf(row);
    if (view.reads !== undefined) {
      view.reads.addKey(name, key);
      for (const [index, values] of unique)
        for (const value of indexValues(values, row)) view.reads.addValue(name, index, value);
    }
    return { key, row };
  }

  private put(chain: OverlayChain, key: string, row: StoredRow): void {
    const top = this.view.topOf(this.name);
    assertUnique(chain, top, key, row);
    top.put(key, row);
  }
}

function shapeOf(name: TableName): TableShape {
  return findShape(name) as TableShape;
}

function sortByKey(rows: ReadonlyMap<string, StoredRow>): StoredRow[] {
  return [...rows].sort(([one], [other]) => (precedes(one, other) ? -1 : 1)).map(([, row]) => row);
}

/** @throws DuplicateError if another row has one of the unique values. */
function assertUnique(chain: OverlayChain, { shape }: TableOverlay, key: string, row: StoredRow): void {
  for (const [unique, values] of shape.unique) {
    for (const value of indexValues(values, row)) {
      const owner = readUnique(chain, unique, value);
      if (owner !== undefined && shape.key(owner) !== key) throw new DuplicateError(shape.name, unique);
    }
  }
}
