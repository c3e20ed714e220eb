/** Reads one table with SQL. */
import type { QueryResult } from 'pg';
import { createPause } from '../../lib/event-loop-turns.ts';
import { isStorableText } from '../../lib/storable-text.ts';
import type { Derivation, DerivedValues, RowCache } from '../derived-values.ts';
import { collectReachedRows, valuesOf } from '../reach.ts';
import type { Range } from '../store.ts';
import type { StoredRow } from '../table-shape.ts';
import type { KnownRows, VersionedText } from './known-rows.ts';
import type { SeenRows } from './seen-rows.ts';
import { createFindReaching, type IndexStatements, type Statement, type TableStatements } from './statements.ts';
import type { StoredTable } from './table-columns.ts';

/** Runs a statement; of a transaction, or alone. */
export type Run = (statement: Statement, values: readonly unknown[]) => Promise<QueryResult>;

/** What all accesses to one table share. */
export interface TableAccess {
  readonly table: StoredTable;
  readonly statements: TableStatements;
  readonly derived: DerivedValues;
  readonly known: KnownRows;
}

/** Rows that are walked in one turn of the event loop. */
const rowsPerTurn = 500;

/** Without #private members: callers override methods of an object that inherits from it. */
export class SqlTableReader {
  protected readonly access: TableAccess;
  protected readonly run: Run;
  protected readonly seen: SeenRows | undefined;

  /** @param seen what the transaction or call has read */
  constructor(access: TableAccess, run: Run, seen?: SeenRows) {
    this.access = access;
    this.run = run;
    this.seen = seen;
  }

  async get(key: string): Promise<StoredRow | undefined> {
    if (this.seen?.has(key)) return this.seen.get(key);
    if (!isStorableText(key)) return undefined;
    return (await this.read(this.access.statements.get, [key], [key]))[0];
  }

  async getMany(keys: readonly string[]): Promise<readonly StoredRow[]> {
    const { seen, access } = this;
    const rows = new Map(keys.map((key) => [key, seen?.get(key)]));
    const unseen = keys.filter((key) => !seen?.has(key) && isStorableText(key));
    const read = unseen.length === 0 ? [] : await this.read(access.statements.getMany, [unseen], unseen);
    for (const row of read) rows.set(access.table.shape.key(row), row);
    return keys.map((key) => rows.get(key)).filter((row) => row !== undefined);
  }

  async getLinked(index: string, key: string): Promise<readonly StoredRow[]> {
    if (!isStorableText(key)) return [];
    const { shape } = this.access.table;
    const { getLinked } = this.statementsOf(index);
    const read = await this.readOnce(`linked ${nameQuery(index, [key])}`, getLinked, [key]);
    const rows = new Map(read.map((row) => [shape.key(row), row]));
    const row = rows.get(key);
    if (!row) return [];
    return [row, ...valuesOf(shape, index, row).map((linked) => rows.get(linked))].filter((each) => each !== undefined);
  }

  async getBy(unique: string, value: string): Promise<StoredRow | undefined> {
    if (!isStorableText(value)) return undefined;
    const { getBy, index } = this.statementsOf(unique);
    return (await this.readOnce(nameQuery(unique, [value]), getBy, [index.toText(value)]))[0];
  }

  async find(name: string, value: string, range: Range = {}): Promise<readonly StoredRow[]> {
    if (!isStorableText(value)) return [];
    const { find, index } = this.statementsOf(name);
    return this.readOnce(nameQuery(name, [value], range), find, [index.toText(value), ...rangeValues(range)]);
  }

  async findMany(name: string, values: readonly string[]): Promise<readonly StoredRow[]> {
    const storable = values.filter(isStorableText);
    if (storable.length === 0) return [];
    const { findMany, index } = this.statementsOf(name);
    return this.readOnce(nameQuery(name, values), findMany, [[...new Set(storable.map(index.toText))]]);
  }

  async findInOrder(name: string, values: readonly string[], range: Range): Promise<readonly StoredRow[]> {
    const storable = values.filter(isStorableText);
    if (storable.length === 0) return [];
    const { findInOrder, index } = this.statementsOf(name);
    const parameters = [storable.map(index.toText), ...rangeValues(range)];
    return this.readOnce(`ordered ${nameQuery(name, values, range)}`, findInOrder, parameters);
  }

  async reach(index: string, keys: readonly string[]): Promise<readonly StoredRow[]> {
    const { seen, access } = this;
    const unseen = new Set<string>();
    const collect = (get: (key: string) => StoredRow | undefined) =>
      collectReachedRows({ shape: access.table.shape, index, keys, get, pause: createPause(rowsPerTurn) });
    const known = await collect((key) => {
      if (!seen?.has(key)) unseen.add(key);
      return seen?.get(key);
    });
    const missing = [...unseen].filter(isStorableText);
    if (missing.length === 0) return known;
    const read = await this.read(this.statementsOf(index).reach, [missing], missing);
    const rows = new Map(read.map((row) => [access.table.shape.key(row), row]));
    return collect((key) => rows.get(key) ?? seen?.get(key));
  }

  async findReaching(along: string, name: string, value: string): Promise<readonly StoredRow[]> {
    if (!isStorableText(value)) return [];
    const { index } = this.statementsOf(name);
    const statement = createFindReaching(this.access.table, this.statementsOf(along).index, index);
    return this.readOnce(`${along} ${nameQuery(name, [value])}`, statement, [index.toText(value)]);
  }

  async list(range: Range = {}): Promise<readonly StoredRow[]> {
    return this.read(this.access.statements.list, rangeValues(range));
  }

  async count(): Promise<number> {
    const { rows } = await this.run(this.access.statements.count, []);
    return Number((rows as { count: string }[])[0]?.count);
  }

  async countBy(name: string): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.run(this.statementsOf(name).countBy, []);
    return new Map((rows as { value: string; count: string }[]).map(({ value, count }) => [value, Number(count)]));
  }

  /** Rows stay the same objects while their version is known. */
  rowCache<Value extends object>(derivation: Derivation<Value>): RowCache<StoredRow, Value> {
    return this.access.derived.rowCache(derivation);
  }

  /** Other processes change the table, so nothing that depends on several rows is kept. */
  tableCache(): undefined {
    return undefined;
  }

  protected statementsOf(index: string): IndexStatements {
    const found = this.access.statements.indexes.get(index);
    if (!found) throw new Error(`${this.access.table.shape.name} has no index ${index}`);
    return found;
  }

  /** Runs a query whose result does not change until a write. */
  private async readOnce(
    query: string,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly StoredRow[]> {
    const { seen } = this;
    if (!seen) return this.read(statement, values);
    const known = seen.resultOf(query);
    if (known) return known;
    const { epoch } = seen;
    const rows = await this.read(statement, values);
    if (seen.epoch === epoch) seen.setResult(query, rows);
    return rows;
  }

  /** @param keys those among which a missing row does not exist */
  private async read(
    statement: Statement,
    values: readonly unknown[],
    keys: readonly string[] = [],
  ): Promise<readonly StoredRow[]> {
    const { seen } = this;
    const epoch = seen?.epoch;
    const { rows } = await this.run(statement, values);
    const read = await this.parse(rows as VersionedText[], epoch);
    if (!seen || seen.epoch !== epoch) return read;
    for (const key of keys) if (!seen.has(key)) seen.set(key, undefined);
    return read;
  }

  /**
   * In slices, so that others are served beside a read of many rows.
   * @param epoch of what was seen when they were read: they are remembered until it changes
   */
  protected async parse(rows: readonly VersionedText[], epoch?: number): Promise<StoredRow[]> {
    const { known, table } = this.access;
    const { seen } = this;
    const pause = createPause(rowsPerTurn);
    const parsed: StoredRow[] = [];
    for (const text of rows) {
      const pausing = pause();
      if (pausing) await pausing;
      const row = known.parse(text);
      parsed.push(row);
      if (seen && seen.epoch === epoch) seen.set(table.shape.key(row), row);
    }
    return parsed;
  }
}

/** Identifies the query for the rows with these values in an index. */
export function nameQuery(index: string, values: readonly string[], { after, limit }: Range = {}): string {
  return JSON.stringify([index, values, after, limit]);
}

function rangeValues({ after = '', limit }: Range): readonly unknown[] {
  return [after, limit ?? null];
}
