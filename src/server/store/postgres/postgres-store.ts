/**
 * The engine on PostgreSQL, for any number of server processes. Isolation is SERIALIZABLE: the database detects
 * transactions that are not as if alone, and their work runs again.
 */
import type { PoolClient } from 'pg';
import { createDraw, type Random } from '../../lib/random.ts';
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import {
  type DatabaseStats,
  OutcomeUnknownError,
  type Prefetch,
  type Reader,
  type SharedStore,
  type Store,
  StoreBusyError,
  type StoreDump,
  type StoreHealth,
  StoreUnavailableError,
  type Transaction,
  type TransactionStats,
} from '../store.ts';
import { selectAllTables } from './all-rows.ts';
import { Attempt } from './attempt.ts';
import { commit, commitReads, NotRegisteredError } from './commit.ts';
import { countSynchronousStandbys } from './database-state.ts';
import { KnownRows } from './known-rows.ts';
import { Lanes } from './lanes.ts';
import { canTakePrecedence, Precedence } from './precedence.ts';
import { Prefetcher } from './prefetch.ts';
import type { PrimaryConnections } from './primary-connections.ts';
import type { Registration } from './registration.ts';
import { createCallReader, createSqlReader, createSqlTransaction, createTableAccess } from './row-access.ts';
import { isConflict, isDuplicate, isUnavailable, isWaitTooLong } from './sql-errors.ts';
import { startSweeping } from './sweep.ts';
import type { Run } from './table-reader.ts';

export interface PostgresStoreOptions {
  readonly connections: PrimaryConnections;
  readonly registration: Registration;
  /** Missing if this server uses the database alone. */
  readonly shared?: SharedStore;
  /** Writing transactions of this process that run at once. */
  readonly lanes: number;
  readonly random: Random;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
}

/** An attempt that changed nothing: its work can run again. */
interface FailedAttempt {
  /** Undefined if the connection was lost before the commit. */
  readonly conflict: unknown;
  readonly canTakePrecedence: boolean;
}

/** How an attempt runs. */
interface Turn {
  readonly attempt: number;
  readonly isOptimistic: boolean;
  readonly isPreceding: boolean;
}

/** What is known before a further attempt. */
interface Retry {
  readonly conflict: unknown;
  /** By the stopwatch. */
  readonly end: number;
  readonly isPreceding: boolean;
}

const readStandbys = { name: 'standbys', text: `select ${countSynchronousStandbys} as count` };
const knownRowsCapacity = 50_000;
/** Attempts beside other transactions; later ones take precedence or run alone in this process. */
const sharedAttempts = 3;
/** Milliseconds. */
const maxRetryTime = 5_000;
/** A failed attempt that took so long is not repeated without precedence. */
const longAttempt = 250;
/** For the time that marks of commits are kept: see `sweep.ts`. */
const maxTransactionTime = 5 * 60_000;
const maxPause = 50;

export class PostgresStore {
  readonly reader: Reader;
  readonly shared: SharedStore | undefined;
  readonly #run: Run;
  readonly #prefetcher: Prefetcher;
  readonly #options: PostgresStoreOptions;
  readonly #accesses = createTableAccess(new KnownRows(knownRowsCapacity));
  readonly #newVersion: () => string;
  readonly #lanes: Lanes;
  readonly #precedence: Precedence;
  /** One at a time: the others would wait for its lock with a connection each. They hold no lane that logins need. */
  readonly #precedingLane: Lanes;
  readonly #endSweeping: () => void;
  readonly #stats = { committed: 0, retried: 0, unconfirmed: 0, unknown: 0 };
  #closing: Promise<void> | undefined;
  #running = new Set<Promise<unknown>>();

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.shared = options.shared;
    const drawVersion = createDraw(options.random, 8);
    this.#newVersion = () => drawVersion().readBigInt64BE().toString();
    this.#lanes = new Lanes(options.lanes, options.timer);
    this.#precedence = new Precedence(options);
    this.#precedingLane = new Lanes(1, options.timer);
    this.#endSweeping = startSweeping(options.connections, options.timer);
    this.#run = (statement, values) => this.#query(statement, values);
    this.reader = createSqlReader(this.#accesses, this.#run);
    this.#prefetcher = new Prefetcher(this.#accesses, this.#run);
  }

  async prefetch(wanted: Prefetch): Promise<Reader> {
    return createCallReader(this.#accesses, this.#run, await this.#prefetcher.read(wanted));
  }

  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const closed = this.#closing && 'The store is closed.';
    const reason = closed ?? this.#options.registration.rejection();
    if (reason !== undefined) return Promise.reject(new StoreUnavailableError(reason));
    const running = this.#runUntilCommitted(work);
    this.#running.add(running);
    const forget = () => this.#running.delete(running);
    running.then(forget, forget);
    return running;
  }

  async dump(): Promise<StoreDump> {
    const client = await this.#options.connections.acquire();
    try {
      await client.query('begin isolation level repeatable read read only');
      const tables = await selectAllTables(client);
      await client.query('commit');
      client.release();
      return { sequence: 0, tables };
    } catch (error) {
      client.release(true);
      throw this.#options.connections.explain(error, client);
    }
  }

  /** An expired server may be at a primary of before a failover, whose rows are old. */
  async #query(...[statement, values]: Parameters<Run>): ReturnType<Run> {
    const { connections, registration } = this.#options;
    const reason = registration.rejection();
    if (reason !== undefined) throw new StoreUnavailableError(reason);
    return connections.query(statement, values);
  }

  transactionStats(): TransactionStats {
    return { ...this.#stats };
  }

  async databaseStats(): Promise<DatabaseStats> {
    const { connections } = this.#options;
    const used = { connections: connections.stats(), lanes: this.#lanes.stats() };
    const result = await connections.query(readStandbys, []).catch(() => undefined);
    const count = (result?.rows as { count: string | null }[] | undefined)?.[0]?.count;
    return { ...used, synchronousStandbys: typeof count === 'string' ? Number(count) : undefined };
  }

  health(): StoreHealth {
    if (this.#closing) return { writable: false, problem: 'closed', reason: 'The store is closed.', permanent: true };
    const { registration, connections } = this.#options;
    const health = connections.health();
    return health.writable ? registration.health() : health;
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#endSweeping();
      await Promise.allSettled(this.#running);
      await this.#options.registration.release();
      await this.#options.connections.close();
    })();
    return this.#closing;
  }

  async #runUntilCommitted<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const { stopwatch } = this.#options;
    let end = stopwatch.now() + maxRetryTime;
    let isOptimistic = true;
    let isPreceding = false;
    for (let attempt = 1; ; attempt += 1) {
      const begunAt = stopwatch.now();
      const outcome: { readonly result: Result } | FailedAttempt = await this.#runInTurn(work, {
        attempt,
        isOptimistic,
        isPreceding,
      });
      if ('result' in outcome) {
        this.#stats.committed += 1;
        return outcome.result;
      }
      const { conflict }: FailedAttempt = outcome;
      if (isConflict(conflict)) this.#stats.retried += 1;
      isOptimistic &&= !(conflict instanceof WrongAssumptionError) && !isDuplicate(conflict);
      const now = stopwatch.now();
      const hasLost = isConflict(conflict) && !isWaitTooLong(conflict);
      const needsPrecedence = hasLost && (attempt >= sharedAttempts || now - begunAt >= longAttempt);
      if (!isPreceding && needsPrecedence && outcome.canTakePrecedence) {
        isPreceding = true;
        end = now + maxRetryTime;
      }
      if (now >= end) throw createGivenUpError(outcome);
      await this.#pause(attempt, { conflict, end, isPreceding });
    }
  }

  #runInTurn<Result>(
    work: (tx: Transaction) => Promise<Result>,
    { attempt, isOptimistic, isPreceding }: Turn,
  ): Promise<{ readonly result: Result } | FailedAttempt> {
    const tryOnce = () => this.#tryOnce(work, { isOptimistic, isPreceding });
    if (isPreceding) return this.#precedingLane.run(tryOnce);
    return attempt > sharedAttempts ? this.#lanes.runAlone(tryOnce) : this.#lanes.run(tryOnce);
  }

  /** Waits before the next attempt, so that it does not meet the same others again. */
  async #pause(attempt: number, { conflict, end, isPreceding }: Retry): Promise<void> {
    if (isWaitTooLong(conflict) && !isPreceding) await this.#precedence.waitForOthers(end);
    const { random, timer } = this.#options;
    const longest = Math.min(maxPause, 2 ** attempt);
    const pause = (random.bytes(1).readUInt8() / 256) * longest;
    await new Promise<void>((resolve) => timer.after(pause, resolve));
  }

  async #tryOnce<Result>(
    work: (tx: Transaction) => Promise<Result>,
    { isOptimistic, isPreceding }: Omit<Turn, 'attempt'>,
  ): Promise<{ readonly result: Result } | FailedAttempt> {
    const { connections, registration, stopwatch } = this.#options;
    // It can have expired while the transaction waited for a lane, and another server may use the database alone.
    const reason = registration.rejection();
    if (reason !== undefined) throw new StoreUnavailableError(reason);
    const client = await connections.acquire();
    const begin = this.#precedence.toBegin(isPreceding);
    const attempt = new Attempt(client, { begin, isOptimistic, newVersion: this.#newVersion });
    const begunAt = stopwatch.now();
    let result: Result;
    try {
      result = await work(createSqlTransaction(this.#accesses, attempt, attempt.seen));
      await attempt.flush();
      if (stopwatch.now() - begunAt > maxTransactionTime)
        throw new StoreUnavailableError('The transaction took longer than five minutes.');
    } catch (error) {
      return this.#endFailed(client, attempt, error);
    }
    attempt.end();
    // A conflict that the work caught has ended the transaction nevertheless.
    if (attempt.failure) return this.#endFailed(client, attempt, attempt.failure);
    try {
      if (!attempt.hasWritten) await commitReads(client);
      else if (!(await this.#commit(client))) return toFailed(attempt, undefined);
      return { result };
    } catch (error) {
      // The writes before the commit have their results now; the commit fails because of the first that failed.
      const failure = attempt.failure ?? error;
      if (isConflict(failure)) return toFailed(attempt, failure);
      if (failure instanceof NotRegisteredError) registration.expire();
      if (!(error instanceof OutcomeUnknownError)) throw connections.explain(failure, client);
      this.#stats.unknown += 1;
      throw error;
    }
  }

  #commit(client: PoolClient): Promise<boolean> {
    const { registration, random } = this.#options;
    const onUnconfirmed = () => {
      this.#stats.unconfirmed += 1;
    };
    return commit(client, random.uuid(), { ...this.#options, registeredUntil: registration.until, onUnconfirmed });
  }

  async #endFailed(client: PoolClient, attempt: Attempt, error: unknown): Promise<FailedAttempt> {
    attempt.end();
    await attempt.settle();
    const failure = attempt.failure ?? error;
    const isOwn = attempt.failure === undefined;
    if (!isOwn && !isConflict(failure) && isUnavailable(failure)) {
      client.release(true);
      throw this.#options.connections.explain(failure, client);
    }
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    );
    if (!isOwn && isConflict(failure)) return toFailed(attempt, failure);
    if (isOwn && attempt.hasAssumed) return toFailed(attempt, new WrongAssumptionError());
    throw failure;
  }
}

function toFailed({ written }: Attempt, conflict: unknown): FailedAttempt {
  return { conflict, canTakePrecedence: canTakePrecedence(written) };
}

/** Nothing was changed, and the time for further attempts is over. */
function createGivenUpError({ conflict }: FailedAttempt): StoreUnavailableError {
  return conflict === undefined
    ? new StoreUnavailableError('The connection to the database was lost during the commit.')
    : new StoreBusyError('Too many concurrent changes.', { cause: conflict });
}

/** The work threw after a value was reported to be free without a look: it runs again with checks. */
class WrongAssumptionError extends Error {
  override readonly name = 'WrongAssumptionError';
}

/** The public interface of the engine. */
export function toPostgresStore(store: PostgresStore): Store {
  return {
    ...store.reader,
    ...(store.shared ? { shared: store.shared } : {}),
    prefetch: (wanted) => store.prefetch(wanted),
    transaction: (work) => store.transaction(work),
    dump: () => store.dump(),
    transactionStats: () => store.transactionStats(),
    databaseStats: () => store.databaseStats(),
    health: () => store.health(),
    close: () => store.close(),
  };
}
