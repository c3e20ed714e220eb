/**
 * The store: all state of one IAM, behind an interface that every engine implements.
 *
 * Reads need no transaction, writes do: `store.groups.insert` outside one does not compile.
 * `test/server/store/suite.ts` tests the behaviour against each engine.
 */
import { StandinError } from '../../contract/standin-error.ts';
import type { Derivation, RowCache } from './derived-values.ts';
import type { StoredRow } from './table-shape.ts';
import type { Indexes, Row, TableName, Uniques } from './tables.ts';

/** A page of an ordered list: at most `limit` rows whose key is greater than `after`. */
export interface Range {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** Read access to a table. Rows are immutable. */
export interface TableReader<Name extends TableName> {
  /** Returns the row with this primary key. */
  get(key: string): Promise<Row<Name> | undefined>;
  /** Returns the rows with these keys, in their order, without those that do not exist. */
  getMany(keys: readonly string[]): Promise<readonly Row<Name>[]>;
  /**
   * Returns the row with this key, followed by those that it names in the index, in their order. The values of the index
   * are keys of the table. Empty if there is no such row.
   */
  getLinked(index: Indexes<Name>, key: string): Promise<readonly Row<Name>[]>;
  /** Returns the row that has this value in a unique index. */
  getBy(unique: Uniques<Name>, value: string): Promise<Row<Name> | undefined>;
  /** Returns the rows that have this value in a plain index, ordered by primary key. */
  find(index: Indexes<Name>, value: string, range?: Range): Promise<readonly Row<Name>[]>;
  /** Returns the rows that have any of these values in an index, ordered by primary key. */
  findMany(index: Indexes<Name> | Uniques<Name>, values: readonly string[]): Promise<readonly Row<Name>[]>;
  /**
   * Returns the rows that have each of these values in a plain index, in the order of the values and then by primary key:
   * at most `limit`, and of the first value those after `after`.
   */
  findInOrder(index: Indexes<Name>, values: readonly string[], range: Range): Promise<readonly Row<Name>[]>;
  /**
   * Returns the rows with these keys and all that they name in the index, directly or through others. The values of the
   * index are keys of the table. The order is that of a depth-first search that begins with the last key.
   */
  reach(index: Indexes<Name>, keys: readonly string[]): Promise<readonly Row<Name>[]>;
  /** Returns the rows that have a value in an index and all that reach them along another, ordered by primary key. */
  findReaching(along: Indexes<Name>, index: Indexes<Name>, value: string): Promise<readonly Row<Name>[]>;
  /** Returns all rows, ordered by primary key. */
  list(range?: Range): Promise<readonly Row<Name>[]>;
  /** Returns the number of rows. An engine may estimate one over 100,000. */
  count(): Promise<number>;
  /** Returns the number of rows that have each value of a plain index. */
  countBy(index: Indexes<Name>): Promise<ReadonlyMap<string, number>>;
  /** Returns the cache of values that are derived from one row each. Rows are immutable, so entries stay valid; old ones leave. */
  rowCache<Value extends object>(derivation: Derivation<Value>): RowCache<Row<Name>, Value>;
  /**
   * Returns the cache of values that are derived from the rows of the table: the same map until the table changes.
   * Undefined in a transaction, which sees its own writes.
   */
  tableCache<Value>(derivation: Derivation<Value>): Map<string, Value> | undefined;
}

/** Write access to a table, within a transaction. */
export interface TableWriter<Name extends TableName> extends TableReader<Name> {
  /**
   * Whether a row has this unique value, or this primary key, before a row with it is inserted. An engine may return false
   * without a look; it then runs the work again, with a look, if the insert fails or the work throws.
   */
  isTaken(unique: Uniques<Name> | 'key', value: string): Promise<boolean>;
  /** @throws DuplicateError if the primary key or a unique value exists. */
  insert(row: Row<Name>): Promise<void>;
  /** Replaces the row with the same primary key. @throws DuplicateError, MissingRowError. */
  replace(row: Row<Name>): Promise<void>;
  /** @returns false if the row does not exist. */
  delete(key: string): Promise<boolean>;
  /**
   * Gives the table these rows, ordered by primary key, and no others, whatever it contained. Writes only what differs.
   * @throws DuplicateError if two of the rows share their key or a unique value; ZodError if a row is not valid.
   */
  replaceAll(rows: readonly Row<Name>[]): Promise<void>;
}

export type Reader = { readonly [Name in TableName]: TableReader<Name> };
export type Transaction = { readonly [Name in TableName]: TableWriter<Name> };

/** What a call is known to read first. */
export interface Prefetch {
  /** A primary key by table. */
  readonly keys: { readonly [Name in TableName]?: string };
  /** Values of the index `member` of memberships: their rows, and the groups that these reach through dependencies. */
  readonly members?: readonly string[] | undefined;
}

export interface Store extends Reader {
  /**
   * Returns a reader for one call that has read these rows, and reads nothing twice. Missing for an engine whose reads do
   * not wait for anything.
   */
  prefetch?(wanted: Prefetch): Promise<Reader>;
  /**
   * Runs `work` in isolation (serializable) and resolves once its writes are durable. If `work` throws or saving fails,
   * no write is stored. An engine may retry `work`, so it must have no side effects other than reads and writes of `tx`.
   * Long work of an embedded engine runs beside other transactions: what it reads may change, and it then runs again.
   *
   * Plain reads see durable rows only; a later transaction also sees rows that are not yet durable.
   * @throws the error of `work`; StoreUnavailableError if the store accepts no writes.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** Returns a consistent dump of the durable rows. */
  dump(): Promise<StoreDump>;
  /** Disk statistics for operators; missing for an engine without a disk. */
  diskStats?(): DiskStats;
  /** Statistics of transactions for operators; missing for an engine whose transactions never run again. */
  transactionStats?(): TransactionStats;
  /** Statistics of the use of a database for operators; missing for an engine without one. It does not fail without it. */
  databaseStats?(): Promise<DatabaseStats>;
  /** Whether writes are accepted, and if not, why. */
  health(): StoreHealth;
  /** Warnings about the place of the store, one sentence each. */
  readonly startWarnings?: readonly string[];
  /** What the servers of a shared store need besides its rows; missing if one server uses the store alone. */
  readonly shared?: SharedStore;
  /** Waits for pending writes, writes a final checkpoint if the engine has one, and releases the store. */
  close(): Promise<void>;
}

/** A store that several servers use at the same time. */
export interface SharedStore {
  /** The name of this server. */
  readonly replica: string;
  /**
   * Runs `work` while no other server runs work of this name: waits for it.
   * @throws StoreUnavailableError if that takes longer than a minute
   */
  runAlone<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  readonly loginEvents: EventJournal;
}

/** Events that each server publishes to the others. */
export interface EventJournal {
  /** Resolves when the other servers can read the event. */
  publish(event: object): Promise<void>;
  /** Reads the events of other servers since the last call; the first call also returns those of the last 15 minutes. */
  readNew(): Promise<readonly JournalEvent[]>;
}

export interface JournalEvent {
  readonly event: unknown;
  /** Milliseconds since it was published. */
  readonly age: number;
}

export interface StoreDump {
  /** The sequence of the last commit it contains; 0 if the engine does not count commits. */
  readonly sequence: number;
  /** Rows by table, ordered by primary key. They can be read several times, and can be parsed when they are read. */
  readonly tables: ReadonlyMap<TableName, Iterable<StoredRow>>;
}

/** Counts since the start. */
export interface TransactionStats {
  readonly committed: number;
  /** Runs that failed because of another transaction, and ran again. */
  readonly retried: number;
  /** Commits without a response, which were inquired. */
  readonly unconfirmed: number;
  /** Transactions whose outcome could not be found out. */
  readonly unknown: number;
}

/** Counts of now. */
export interface DatabaseStats {
  readonly connections: UsageStats & { readonly idle: number };
  /** Writing transactions. */
  readonly lanes: UsageStats;
  /** Connected standbys that are synchronous; undefined if the user may not see them, or without the database. */
  readonly synchronousStandbys: number | undefined;
}

export interface UsageStats {
  readonly inUse: number;
  /** Callers that wait for one. */
  readonly waiting: number;
}

export interface DiskStats {
  /** Size of the write-ahead log since the last checkpoint. */
  readonly walBytes: number;
  /** Number and total duration of syncs since the start. */
  readonly syncs: number;
  readonly syncSeconds: number;
}

/** Why a store accepts no writes, as `/readyz` reports it. */
export type StoreProblem =
  | 'closed'
  | 'memory-full'
  | 'disk-full'
  | 'write-failed'
  | 'files-replaced'
  | 'database-unavailable'
  | 'database-replaced'
  | 'registration-expired'
  | 'used-by-another-server'
  | 'clock-offset';

export type StoreHealth =
  | { readonly writable: true }
  | {
      readonly writable: false;
      readonly problem: StoreProblem;
      /** For logs: it can contain paths. */
      readonly reason: string;
      readonly permanent: boolean;
    };

/** A primary key or a unique value exists already. `constraint` is the unique index's name, or 'key'. */
export class DuplicateError extends Error {
  override readonly name = 'DuplicateError';
  readonly table: TableName;
  readonly constraint: string;

  constructor(table: TableName, constraint: string) {
    super(`${table}: ${constraint} already exists`);
    this.table = table;
    this.constraint = constraint;
  }
}

/** The row to replace does not exist: a bug, since handlers check first. */
export class MissingRowError extends Error {
  override readonly name = 'MissingRowError';

  constructor(table: TableName) {
    super(`${table}: row not found`);
  }
}

/** The store accepts no writes (disk full, failed fsync, closing). Callers receive 503 with Retry-After. */
export class StoreUnavailableError extends StandinError {
  override readonly name: string = 'StoreUnavailableError';
  readonly code = 'STORE_UNAVAILABLE';
}

/** Other transactions changed the same rows each time, or had precedence. Nothing was changed. */
export class StoreBusyError extends StoreUnavailableError {
  override readonly name: string = 'StoreBusyError';
}

/** The change may be durable or not, for example because its commit has no response. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
}
