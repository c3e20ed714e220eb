/** Connections to the primary: of several hosts, the one that accepts writes. */
import {
  Client,
  type ClientBase,
  type ClientConfig,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryResult,
} from 'pg';
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import { type DatabaseStats, type StoreHealth, type StoreProblem, StoreUnavailableError } from '../store.ts';
import { MalformedRowError } from './all-rows.ts';
import {
  ConnectionRejectedError,
  OldPrimaryError,
  PoolerError,
  ReadOnlyHostError,
  ReplacedDatabaseError,
  SeveralDatabasesError,
} from './connection-errors.ts';
import {
  type DatabaseIdentity,
  type DatabaseState,
  isSameDatabase,
  mergeIdentities,
  readDatabaseState,
} from './database-state.ts';
import { codeOf, isPrimaryLost, isTooManyConnections, isUnavailable } from './sql-errors.ts';
import type { Statement } from './statements.ts';

export interface ConnectionOptions {
  /** The hosts to try, in this order. */
  readonly hosts: readonly ClientConfig[];
  /** The schema that contains the tables. */
  readonly schema: string;
  /** Shown by the database in its list of connections. */
  readonly applicationName: string;
  readonly maxConnections: number;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
}

/** Milliseconds. */
const connectTimeout = 1_000;
/** For one host: to connect, and two statements. */
const searchTimeout = 3_000;
const endTimeout = 1_000;
const keepAliveDelay = 5_000;
const statementTimeout = 5_000;
/** For a database that does not respond at all: the server does not end the statement then. */
const responseTimeout = 5_500;
const idleInTransactionTimeout = 10_000;
const lockTimeout = 2_000;
/** To get a connection of the pool, free or new. */
const acquireTimeout = 5_000;
/** After the database allowed no more connections. */
const growPause = 5_000;
/** Callers fail at once for as long after no primary was found. */
const probePause = 500;

/** Limits how long it takes to open and to end a connection. */
class LimitedClient extends Client {
  readonly #timer: Timer;

  constructor(config: ClientConfig & Pick<ExtendedPoolOptions, 'timer'>) {
    // The pool hides the password from copies.
    super({ ...config, password: config.password, connectionTimeoutMillis: connectTimeout });
    this.#timer = config.timer;
    // An error also fails the statement in progress. Without a listener the process would end.
    this.on('error', () => undefined);
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | undefined {
    // After an error of the driver, such as a missing password, the socket would stay open.
    const connected = super.connect().catch((error: Error) => {
      // Not awaited: it would never resolve for a connection that has ended.
      void this.end().catch(() => undefined);
      throw this.#wasRejected(error) ? new ConnectionRejectedError(error.message, { cause: error }) : error;
    });
    if (!callback) return connected;
    connected.then(() => (callback as () => void)(), callback);
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: (error?: Error) => void): void;
  override end(callback?: (error?: Error) => void): Promise<void> | undefined {
    // The pool goes on when the connection has ended, and a host that does not respond never ends it.
    const cancel = this.#timer.after(endTimeout, () => this.connection.stream.destroy());
    const ended = super.end().finally(cancel);
    if (!callback) return ended;
    ended.then(() => callback(), callback);
    return undefined;
  }

  /** Errors of the system, of TLS and of PostgreSQL have a code. After a timeout or a lost connection the socket is destroyed. */
  #wasRejected(error: Error): boolean {
    return codeOf(error) === undefined && !this.connection.stream.destroyed;
  }
}

interface HostState {
  readonly read_only: string;
  readonly search_path: string;
  readonly statement_timeout: string;
}

const hostStateQuery = {
  text: `select current_setting('transaction_read_only') as read_only,
    current_setting('search_path') as search_path, current_setting('statement_timeout') as statement_timeout`,
  query_timeout: connectTimeout,
};

/**
 * Checks each new connection: the host of a pool may have become a standby, whose rows are old. A pooler can accept the
 * settings of a connection and ignore them: tables would be searched in another schema.
 */
async function assertPrimary(client: ClientBase, host: string | undefined, schema: string): Promise<void> {
  const { rows } = await client.query<HostState>(hostStateQuery);
  const [state] = rows;
  if (state?.read_only !== 'off') throw new ReadOnlyHostError(`${host} is read-only`);
  if (state.search_path === schema && state.statement_timeout === `${statementTimeout / 1_000}s`) return;
  throw new PoolerError(
    `${host} ignores the settings of a connection: connect to PostgreSQL itself, without a connection pooler`,
  );
}

interface FoundPrimary extends DatabaseState {
  readonly pool: Pool;
  readonly address: string;
}

export class PrimaryConnections {
  readonly #options: ConnectionOptions;
  #pool: Pool | undefined;
  #search: Promise<Pool> | undefined;
  #failure: { readonly at: number; readonly error: StoreUnavailableError; readonly problem: StoreProblem } | undefined;
  #closed = false;
  /** The highest that was seen. */
  #timeline = 0;
  #identity: DatabaseIdentity = { system: undefined, schema: undefined };
  /** The pool of each connection in use. */
  readonly #pools = new WeakMap<PoolClient, Pool>();
  /** Rejects the callers that wait for a connection of a pool. */
  readonly #waiting = new WeakMap<Pool, Set<(error: Error) => void>>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Runs one statement outside of a transaction. @throws StoreUnavailableError without a primary */
  async query(statement: Statement, values: readonly unknown[]): Promise<QueryResult> {
    const client = await this.acquire();
    try {
      const result = await client.query({ ...statement, values: [...values] });
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw this.explain(error, client);
    }
  }

  /** Returns a connection for several statements. @throws StoreUnavailableError without a primary */
  async acquire(): Promise<PoolClient> {
    const pool = await this.#connectPrimary();
    try {
      const client = await this.#takeFrom(pool);
      this.#pools.set(client, pool);
      return client;
    } catch (error) {
      throw this.#explainFailure(error, pool);
    }
  }

  /**
   * Waits for a connection of the pool. Rejects when the pool is lost, since an ended pool never calls those that wait, and
   * after a limit: the renewal of the registration and the lanes must not wait for a host that stopped to respond.
   */
  async #takeFrom(pool: Pool): Promise<PoolClient> {
    const waiting = this.#waiting.get(pool) ?? new Set();
    this.#waiting.set(pool, waiting);
    let reject: (error: Error) => void = () => undefined;
    const given = new Promise<never>((_, rejectGiven) => {
      reject = rejectGiven;
    });
    waiting.add(reject);
    let refusal: unknown;
    const cancel = this.#options.timer.after(acquireTimeout, () =>
      reject(new StoreUnavailableError('No connection to the database became free.', { cause: refusal })),
    );
    const connecting = this.#connect(pool, (error) => {
      refusal = error;
    });
    try {
      return await Promise.race([connecting, given]);
    } catch (error) {
      // A connection that comes later is not used.
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
      throw error;
    } finally {
      cancel();
      waiting.delete(reject);
    }
  }

  /** Where the database allows no more connections, callers share those of the pool, which opens no other for a while. */
  async #connect(pool: Pool, onRefused: (error: unknown) => void): Promise<PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isTooManyConnections(error) || pool.totalCount === 0) throw error;
      onRefused(error);
      pool.options.max = 1;
      this.#options.timer.after(growPause, () => Object.assign(pool.options, { max: this.#options.maxConnections }));
      return pool.connect();
    }
  }

  /**
   * Returns the error for callers: an error of the database that is not about the statement is a StoreUnavailableError.
   * After a lost connection, the pool ends when those in use are returned, and the primary is searched. A connection of an earlier
   * pool says nothing about the primary of now.
   */
  explain(error: unknown, client: PoolClient): unknown {
    const pool = this.#pools.get(client);
    return pool ? this.#explainFailure(error, pool) : error;
  }

  #explainFailure(error: unknown, pool: Pool): unknown {
    const isKnown = error instanceof StoreUnavailableError || error instanceof MalformedRowError;
    if (isKnown || !isUnavailable(error)) return error;
    if (isPrimaryLost(error)) this.#lose(pool);
    return new StoreUnavailableError('The database does not respond.', { cause: error });
  }

  /** Whether a primary is connected; searched in the background until one is. */
  health(): StoreHealth {
    if (this.#pool !== undefined || this.#failure === undefined) return { writable: true };
    const { error, problem } = this.#failure;
    return { writable: false, problem, reason: error.message, permanent: false };
  }

  stats(): DatabaseStats['connections'] {
    const pool = this.#pool;
    if (!pool) return { inUse: 0, idle: 0, waiting: 0 };
    return { inUse: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount };
  }

  /** Resolves after the running statements. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#search?.catch(() => undefined);
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }

  async #connectPrimary(): Promise<Pool> {
    if (this.#closed) throw new StoreUnavailableError('The store is closed.');
    if (this.#pool) return this.#pool;
    const { stopwatch } = this.#options;
    if (this.#failure && stopwatch.now() - this.#failure.at < probePause) throw this.#failure.error;
    this.#search ??= this.#searchPrimary().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #searchPrimary(): Promise<Pool> {
    try {
      this.#pool = await this.#findPrimary();
      this.#failure = undefined;
      return this.#pool;
    } catch (cause) {
      const isOther = cause instanceof OldPrimaryError || cause instanceof ReplacedDatabaseError;
      const message = isOther ? cause.message : 'No database accepts writes.';
      const error = new StoreUnavailableError(message, { cause });
      const problem = isOther ? 'database-replaced' : 'database-unavailable';
      this.#failure = { at: this.#options.stopwatch.now(), error, problem };
      throw error;
    }
  }

  #lose(pool: Pool): void {
    if (!pool.ending) void pool.end().catch(() => undefined);
    const waiting = this.#waiting.get(pool);
    for (const reject of waiting ?? []) reject(new Error('The connection to the database was lost.'));
    waiting?.clear();
    if (this.#pool !== pool) return;
    this.#pool = undefined;
    this.#probe();
  }

  /** Searches until a primary is found, so that the health is known without calls. */
  #probe(): void {
    if (this.#closed) return;
    this.#connectPrimary().catch(() => this.#options.timer.after(probePause, () => this.#probe()));
  }

  /**
   * Asks all hosts at once. A host that accepts writes, but has a lower timeline than another or than one of before, is
   * a primary of before a failover that does not know it yet. A database that was rebuilt can have any timeline.
   */
  async #findPrimary(): Promise<Pool> {
    const searches = await Promise.allSettled(this.#options.hosts.map((host) => this.#openPrimary(host)));
    const found = searches.flatMap((search) => (search.status === 'fulfilled' ? [search.value] : []));
    const others = found.filter(({ identity }) => !isSameDatabase(identity, found[0]?.identity ?? identity));
    if (this.#timeline === 0 && others.length > 0) {
      for (const { pool } of found) void pool.end().catch(() => undefined);
      throw new SeveralDatabasesError(found.map(({ address }) => address));
    }
    const same = found.filter(({ identity }) => isSameDatabase(identity, this.#identity));
    this.#timeline = Math.max(this.#timeline, ...same.map(({ timeline }) => timeline));
    const newest = same.find(({ timeline }) => timeline === this.#timeline);
    for (const one of found) if (one !== newest) void one.pool.end().catch(() => undefined);
    if (newest) {
      this.#identity = mergeIdentities(this.#identity, newest.identity);
      return newest.pool;
    }
    if (found.length > 0) throw same.length > 0 ? new OldPrimaryError() : new ReplacedDatabaseError();
    const failures = searches.flatMap((search) => (search.status === 'rejected' ? [search.reason] : []));
    throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'No host accepts writes.');
  }

  /** @throws if the host is not a primary */
  async #openPrimary(host: ClientConfig): Promise<FoundPrimary> {
    const pool = this.#createPool(host);
    // The types of the driver lack query_timeout.
    const run = (text: string) => pool.query({ text, query_timeout: connectTimeout } as { readonly text: string });
    try {
      const state = await this.#limitSearch(readDatabaseState(run));
      return { ...state, pool, address: `${host.host}:${host.port}/${host.database}` };
    } catch (error) {
      // Not awaited: a host that does not respond would hold up the search.
      void pool.end().catch(() => undefined);
      throw error;
    }
  }

  #limitSearch<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const cancel = this.#options.timer.after(searchTimeout, () => reject(new Error('The host does not respond.')));
      work.then(resolve, reject).finally(cancel);
    });
  }

  #createPool(host: ClientConfig): Pool {
    const { schema, applicationName, maxConnections, timer } = this.#options;
    const config: PoolConfig & ExtendedPoolOptions = {
      ...host,
      Client: LimitedClient as unknown as new () => ClientBase,
      timer,
      onConnect: (client) => assertPrimary(client, host.host, schema),
      max: maxConnections,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
      application_name: applicationName,
      statement_timeout: statementTimeout,
      query_timeout: responseTimeout,
      idle_in_transaction_session_timeout: idleInTransactionTimeout,
      lock_timeout: lockTimeout,
      options: `-c search_path=${schema} ${sessionOptions}`,
      types: rawTypes,
    };
    const pool = new Pool(config);
    pool.on('error', (error) => void this.#explainFailure(error, pool));
    return pool;
  }
}

/** Options of pg that its types lack. */
interface ExtendedPoolOptions {
  readonly pipeline: true;
  /** Of ours: the pool passes its options to each client. */
  readonly timer: Timer;
  /** Rejects a new connection by throwing. */
  readonly onConnect: (client: ClientBase) => Promise<void>;
}

/**
 * The default isolation distinguishes statements outside of a transaction: see `isWithin`.
 *
 * Every statement looks up few rows in an index. The planner makes one plan for all values, also while a table has no
 * statistics: without them it would scan tables, which conflicts with every other transaction.
 */
export const sessionOptions =
  '-c default_transaction_isolation=read\\ committed -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off';

/** Documents and numbers stay text: documents are parsed once per version. */
const rawTypes = { getTypeParser: () => (value: string) => value };
