/**
 * The core of all embedded engines: rows in memory, serial transactions, group commit.
 *
 * Overlays, topmost first: the writes of the running transaction; the batch that collects commits; the batch in flight;
 * the durable rows. Plain reads see durable rows only, transactions see all overlays. If a batch can't be saved, it is
 * dropped together with all transactions that depend on it.
 *
 * Transactions run one after the other. One that accesses many rows is stopped and runs again beside the others: see
 * long-transaction.ts. Only its commit takes a turn among them.
 */

import { nextTurn } from '../../../lib/host.ts';
import { createPause, type Pause } from '../../lib/event-loop-turns.ts';
import { DerivedValues } from '../derived-values.ts';
import { type Reader, type StoreDump, type StoreHealth, StoreUnavailableError, type Transaction } from '../store.ts';
import { findShape, type StoredRow, tableNames } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import { Batch } from './batch.ts';
import { type Capacity, defaultCapacity, findFullMemory } from './capacity.ts';
import { DurableLayers } from './durable-layers.ts';
import { ReadSet } from './long-transaction.ts';
import { listTableOverlays, Overlay } from './overlay.ts';
import { readAllRows } from './overlay-chain.ts';
import { createReader, createTransaction } from './table-access.ts';

/** Makes batches durable. */
export interface Sink {
  /**
   * Resolves when the next batch is to be saved, if there is one; commits that arrive before join it.
   * @param commitCount the number of commits that have arrived
   */
  gather(commitCount: () => number): Promise<void>;
  /**
   * Prepares a long commit, so that less is to be done between other batches. Missing if it makes no difference.
   * @param late receives the changes of the commit from now on
   */
  prepare?(commit: Overlay, late: Overlay): Promise<void>;
  /** Resolves once all commits are durable; rejects if none of them can be relied on. */
  append(commits: readonly Overlay[]): Promise<void>;
  health(): StoreHealth;
  /** The sequence of the last durable commit; 0 if the sink does not count. */
  readonly sequence: number;
}

/** Transactions per event-loop turn, so that timers and sockets are served. */
const TRANSACTIONS_PER_TURN = 64;

/** Row accesses per event-loop turn: a few milliseconds. */
const ACCESSES_PER_TURN = 1_000;

/** Rows of a dump that are read in one event-loop turn. */
const ROWS_PER_SLICE = 1_000;

/** The same beside other transactions, which have turns of their own. */
const LONG_ACCESSES_PER_TURN = 100;

/** Row accesses of a transaction that others wait for: about ten milliseconds. */
const MAX_ACCESSES = 2_000;

/** Attempts beside other transactions; if all are outdated, the others wait for the last one. */
const MAX_LONG_ATTEMPTS = 3;

export class OverlayStore {
  readonly reader: Reader;
  readonly #sink: Sink;
  readonly #capacity: Capacity;
  readonly #durable: DurableLayers;
  readonly #derived = new Map<TableName, DerivedValues>(tableNames.map((name) => [name, new DerivedValues()]));
  readonly #derivedOf = (name: TableName) => this.#derived.get(name) as DerivedValues;
  #inFlight: Batch | undefined;
  #gathering: Batch | undefined;
  /** Changes when batches are dropped: older transactions have read rows that were never saved. */
  #generation = {};
  #queue: Promise<unknown> = Promise.resolve();
  /** Of long transactions, which run one after the other. */
  #longQueue: Promise<unknown> = Promise.resolve();
  /** What the long transaction in progress has read. */
  #reads: ReadSet | undefined;
  #flushLoop: Promise<void> | undefined;
  readonly #maintenanceTasks: (() => Promise<void>)[] = [];
  #transactionCount = 0;
  #closed = false;

  /** @param base an owned base, or shared overlays (topmost first) that no longer change. */
  constructor(base: Overlay | readonly Overlay[], sink: Sink, capacity = defaultCapacity) {
    this.#durable = new DurableLayers(base);
    this.#sink = sink;
    this.#capacity = capacity;
    this.reader = createReader({
      chainOf: (name) => listTableOverlays(this.#durable.overlays, name),
      derivedOf: this.#derivedOf,
      durable: true,
      pause: createPause(ACCESSES_PER_TURN),
    });
  }

  /** See `Store.transaction`. */
  async transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new StoreUnavailableError('The store is closed.');
    const { outcome, dependsOn } = (await this.#takeTurn(() => this.#runShort(work))) ?? (await this.#runLong(work));
    // The result, or the error of `work`, may depend on rows that it read: they must be durable first.
    await dependsOn?.done;
    return outcome();
  }

  health(): StoreHealth {
    if (this.#closed) return { writable: false, problem: 'closed', reason: 'The store is closed.', permanent: true };
    const health = this.#sink.health();
    const reason = findFullMemory(this.#capacity);
    if (!health.writable || reason === undefined) return health;
    return { writable: false, problem: 'memory-full', reason, permanent: false };
  }

  /** Runs a maintenance task while no batch is in flight. */
  runMaintenance<Result>(task: () => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#maintenanceTasks.push(() => task().then(resolve, reject));
      this.#startFlushLoop();
    });
  }

  /** Freezes the rows between two batches, and reads them in slices. */
  dump(): Promise<StoreDump> {
    return this.runFrozen(async ({ sequence, overlays }) => {
      const pause = createPause(ROWS_PER_SLICE);
      const tables = new Map<TableName, readonly StoredRow[]>();
      for (const name of tableNames) {
        const chain = listTableOverlays(overlays, name);
        const rows: StoredRow[] = [];
        for (let slice: StoredRow[] | undefined; slice === undefined || slice.length === ROWS_PER_SLICE; ) {
          const pausing = pause(slice?.length);
          if (pausing) await pausing;
          const last = rows.at(-1);
          const after = last && findShape(name)?.key(last);
          slice = readAllRows(chain, { after, limit: ROWS_PER_SLICE });
          for (const row of slice) rows.push(row);
        }
        tables.set(name, rows);
      }
      return { sequence, tables };
    });
  }

  /**
   * Runs work with the durable rows of now, which do not change meanwhile, while the store continues.
   * @param before runs at the moment when they are frozen, while no batch is in flight
   */
  runFrozen<Result>(
    work: (rows: FrozenRows) => Promise<Result>,
    before: () => Promise<void> = async () => {},
  ): Promise<Result> {
    return this.#durable.runAlone(async () => {
      const rows = await this.runMaintenance(async () => {
        await before();
        return { sequence: this.#sink.sequence, overlays: this.#durable.freeze() };
      });
      try {
        return await work(rows);
      } finally {
        await this.#durable.thaw(rows.overlays);
      }
    });
  }

  /** Shares the durable rows with forks. */
  share(): Promise<readonly Overlay[]> {
    return this.#durable.share();
  }

  /** Rejects new transactions and resolves once the running ones are saved or have failed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    await this.#longQueue;
    while (this.#flushLoop !== undefined) await this.#flushLoop;
  }

  /** Runs work when all earlier transactions have ended. */
  #takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#runTurn(work, this.#queue);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #runTurn<Result>(work: () => Promise<Result>, previous: Promise<unknown>): Promise<Result> {
    await previous;
    this.#transactionCount += 1;
    if (this.#transactionCount % TRANSACTIONS_PER_TURN === 0) await nextTurn();
    const health = this.#sink.health();
    if (!health.writable && health.permanent) throw new StoreUnavailableError(health.reason);
    return work();
  }

  /** @returns undefined if the work is long: it has changed nothing. */
  async #runShort<Result>(work: Work<Result>): Promise<TransactionResult<Result> | undefined> {
    let remaining = MAX_ACCESSES;
    const pauseTurn = createPause(ACCESSES_PER_TURN);
    const pause: Pause = (accesses = 1) => {
      remaining -= accesses;
      if (remaining < 0) throw new LongTransactionError();
      return pauseTurn(accesses);
    };
    const attempt = this.#startTransaction({ top: new Overlay('transient'), pause });
    const outcome = await settle(work, attempt);
    if (remaining >= 0) return end(attempt, outcome);
    attempt.abandon();
    return undefined;
  }

  #runLong<Result>(work: Work<Result>): Promise<TransactionResult<Result>> {
    const running = this.#longQueue.then(() => this.#runBeside(work));
    this.#longQueue = running.catch(() => {});
    return running;
  }

  async #runBeside<Result>(work: Work<Result>): Promise<TransactionResult<Result>> {
    for (let attempt = 1; attempt <= MAX_LONG_ATTEMPTS; attempt += 1) {
      const top = new Overlay('overlay');
      const reads = new ReadSet(top);
      const transaction = this.#startTransaction({ top, reads, pause: createPause(LONG_ACCESSES_PER_TURN) });
      this.#reads = reads;
      try {
        const outcome = await settle(work, transaction);
        if ('result' in outcome && !reads.isOutdated) await this.#sink.prepare?.(top, reads.collectLate());
        const result = await this.#takeTurn(async () => {
          this.#reads = undefined;
          return reads.isOutdated ? undefined : end(transaction, outcome);
        });
        if (result !== undefined) return result;
      } finally {
        this.#reads = undefined;
      }
    }
    return this.#takeTurn(async () => {
      const pause = createPause(ACCESSES_PER_TURN);
      const transaction = this.#startTransaction({ top: new Overlay('transient'), pause });
      return end(transaction, await settle(work, transaction));
    });
  }

  #startTransaction({ top, pause, reads }: AttemptOptions): TransactionAttempt {
    const generation = this.#generation;
    let ended = false;
    const assertActive = () => {
      if (ended) throw new Error('The transaction has ended. Await every access within it.');
      if (generation !== this.#generation)
        throw new StoreUnavailableError('A change that this transaction has read could not be saved.');
    };
    const transaction = createTransaction({
      chainOf: (name) => {
        assertActive();
        return listTableOverlays([top, ...this.#pending(), ...this.#durable.overlays], name);
      },
      topOf: (name) => {
        assertActive();
        return top.table(name);
      },
      derivedOf: this.#derivedOf,
      durable: false,
      capacity: this.#capacity,
      pause,
      reads,
    });
    const abandon = () => {
      assertActive();
      ended = true;
      return this.#gathering ?? this.#inFlight;
    };
    return { transaction, abandon, commit: () => (top.empty ? abandon() : this.#commit(top, abandon)) };
  }

  #commit(top: Overlay, finish: () => unknown): Batch {
    finish();
    this.#reads?.observe(top);
    this.#gathering ??= new Batch();
    this.#gathering.add(top);
    this.#startFlushLoop();
    return this.#gathering;
  }

  #pending(): Overlay[] {
    return [...(this.#gathering?.overlays ?? []), ...(this.#inFlight?.overlays ?? [])];
  }

  #startFlushLoop(): void {
    this.#flushLoop ??= this.#runFlushLoop().finally(() => {
      this.#flushLoop = undefined;
      if (this.#gathering !== undefined || this.#canMaintain()) this.#startFlushLoop();
    });
  }

  /** A task waits until large batches are merged; other batches do not. */
  #canMaintain(): boolean {
    return this.#maintenanceTasks.length > 0 && this.#durable.merging === undefined;
  }

  async #runFlushLoop(): Promise<void> {
    await this.#gather();
    for (;;) {
      const task = this.#canMaintain() ? this.#maintenanceTasks.shift() : undefined;
      if (task !== undefined) await task();
      else if (this.#gathering === undefined) return;
      else {
        await this.#save(this.#gathering);
        await this.#gather();
      }
    }
  }

  #gather(): Promise<void> {
    return this.#sink.gather(() => this.#gathering?.commits.length ?? 0);
  }

  async #save(batch: Batch): Promise<void> {
    this.#gathering = undefined;
    this.#inFlight = batch;
    try {
      await this.#sink.append(batch.commits);
    } catch (error) {
      this.#dropPending(batch, error);
      return;
    }
    this.#publish(batch);
    this.#inFlight = undefined;
    batch.settle.resolve();
  }

  /** Makes a durable batch visible in one step. */
  #publish({ overlays }: Batch): void {
    for (const overlay of overlays) for (const { shape } of overlay.parts()) this.#derivedOf(shape.name).invalidate();
    this.#durable.add(overlays);
    // Maintenance tasks wait for the merge.
    this.#durable.merging?.then(() => this.#startFlushLoop());
  }

  #dropPending(failed: Batch, cause: unknown): void {
    const reason = new StoreUnavailableError('The change could not be saved.', { cause });
    failed.settle.reject(reason);
    this.#gathering?.settle.reject(reason);
    this.#inFlight = undefined;
    this.#gathering = undefined;
    this.#generation = {};
  }
}

type Work<Result> = (tx: Transaction) => Promise<Result>;

interface AttemptOptions {
  /** Receives the writes. */
  readonly top: Overlay;
  readonly pause: Pause;
  readonly reads?: ReadSet | undefined;
}

interface TransactionAttempt {
  readonly transaction: Transaction;
  /** Commits the writes. @returns the batch to wait for. */
  commit(): Batch | undefined;
  /** Discards the writes. @returns the batch whose rows the transaction may have read. */
  abandon(): Batch | undefined;
}

interface TransactionResult<Result> {
  readonly outcome: () => Result;
  readonly dependsOn: Batch | undefined;
}

/** The durable rows at one moment. */
export interface FrozenRows {
  /** The sequence of the last commit that they contain. */
  readonly sequence: number;
  /** Topmost first. */
  readonly overlays: readonly Overlay[];
}

/** Ends work that takes long, to run it again beside others. */
class LongTransactionError extends Error {
  override readonly name = 'LongTransactionError';
}

/** How work has ended. */
type Settled<Result> = { readonly result: Result } | { readonly error: unknown };

async function settle<Result>(work: Work<Result>, { transaction }: TransactionAttempt): Promise<Settled<Result>> {
  try {
    return { result: await work(transaction) };
  } catch (error) {
    return { error };
  }
}

function end<Result>(attempt: TransactionAttempt, settled: Settled<Result>): TransactionResult<Result> {
  if ('error' in settled) return { outcome: () => rethrow(settled.error), dependsOn: attempt.abandon() };
  return { outcome: () => settled.result, dependsOn: attempt.commit() };
}

function rethrow(error: unknown): never {
  throw error;
}
