/**
 * The store: all state of one IAM, behind an interface that every engine keeps.
 *
 * Reading is free. Writing needs a transaction, so `store.groups.insert` outside one does not compile.
 * `test/server/store/suite.ts` states the behaviour once and runs it against each engine.
 */
import type { StoredRow } from './overlay.ts';
import type { Indexes, Row, TableName, tables, Uniques } from './tables.ts';

/** A part of an ordered list: rows whose key comes after `after`, at most `limit` of them. */
export interface Range {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** What anybody may do with a table. Rows are frozen in meaning: nobody changes one in place. */
export interface TableReader<Name extends TableName> {
  /** The row with this primary key. */
  get(key: string): Promise<Row<Name> | undefined>;
  /** The one row that has this value in a unique index. */
  getBy(unique: Uniques<Name>, value: string): Promise<Row<Name> | undefined>;
  /** Rows that have this value in a plain index, ordered by primary key. */
  find(index: Indexes<Name>, value: string, range?: Range): Promise<readonly Row<Name>[]>;
  /** All rows, ordered by primary key. */
  list(range?: Range): Promise<readonly Row<Name>[]>;
  count(): Promise<number>;
  /**
   * Stays the same object for as long as the table reads the same, so that what was worked out from it can be kept with
   * it. Undefined where nobody can tell: in a transaction, whose own writes come in between.
   */
  stamp(): object | undefined;
}

/** What a transaction may do besides. */
export interface TableWriter<Name extends TableName> extends TableReader<Name> {
  /** @throws DuplicateError where the primary key or a unique value is taken. */
  insert(row: Row<Name>): Promise<void>;
  /** Puts `row` in the place of the one with its primary key. @throws DuplicateError, MissingRowError. */
  replace(row: Row<Name>): Promise<void>;
  /** True where there was such a row. */
  delete(key: string): Promise<boolean>;
}

export type Reader = { readonly [Name in TableName]: TableReader<Name> };
export type Transaction = { readonly [Name in TableName]: TableWriter<Name> };

export interface Store extends Reader {
  /**
   * Runs `work` as if alone and resolves after what it wrote is durable. If `work` throws, or saving fails, nothing
   * of it is kept. `work` may be run again by an engine that has to retry: it must do nothing but read and write here.
   *
   * Plain reads do not see what is not yet durable; a later transaction does.
   * @throws whatever `work` throws; StoreUnavailableError where the store takes no writes.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** All rows at one moment: as durable as they are, and with nothing that was not durable then. */
  dump(): Promise<StoreDump>;
  /** Of the disk, for operators; missing where there is none. */
  diskStats?(): DiskStats;
  /** Whether writes are taken, and if not, why (for logs and /readyz, never for callers). */
  health(): StoreHealth;
  /** Lets writes under way finish, writes a checkpoint where the engine has one, and gives the store back. */
  close(): Promise<void>;
}

export interface StoreDump {
  /** The commit after which it was taken; 0 where the engine does not count them. */
  readonly sequence: number;
  /** By table, ordered by primary key. */
  readonly tables: ReadonlyMap<TableName, readonly StoredRow[]>;
}

export interface DiskStats {
  /** Of what is written to the disk with each commit, since the last checkpoint. */
  readonly walBytes: number;
  /** How often the disk was waited for, and how long in all, since the start. */
  readonly syncs: number;
  readonly syncSeconds: number;
}

export type StoreHealth =
  | { readonly writable: true }
  | { readonly writable: false; readonly reason: string; readonly permanent: boolean };

/** A primary key or a unique value is taken already. `constraint` is the unique index's name, or 'key'. */
export class DuplicateError extends Error {
  override readonly name = 'DuplicateError';
  readonly table: TableName;
  readonly constraint: string;

  constructor(table: TableName, constraint: string) {
    super(`${table}: ${constraint} is taken already`);
    this.table = table;
    this.constraint = constraint;
  }
}

/** A row that was to be replaced is not there: a fault of the program, since handlers look first. */
export class MissingRowError extends Error {
  override readonly name = 'MissingRowError';

  constructor(table: TableName) {
    super(`${table}: no such row`);
  }
}

/** The store takes no writes now (disk full, failed fsync, closing). Callers get 503 with Retry-After. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

export type StoreTables = typeof tables;
