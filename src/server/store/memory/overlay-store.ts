/**
 * The core of all embedded engines: rows in memory, serial transactions, group commit.
 *
 * Overlays, topmost first: the writes of the running transaction; the batch that collects commits; the batch in flight;
 * the durable rows. Plain reads see durable rows only, transactions see all overlays. If a batch can't be saved, it is
 * dropped together with all transactions that depend on it.
 */
import { setImmediate } from 'node:timers/promises';
import { createPause, runInSlices } from '../../lib/event-loop-turns.ts';
import { DerivedValues } from '../derived-values.ts';
import { type Reader, type StoreDump, type StoreHealth, StoreUnavailableError, type Transaction } from '../store.ts';
import { type StoredRow, tableNames } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import { Batch, LARGE_OVERLAY } from './batch.ts';
import { type Capacity, defaultCapacity, findFullMemory } from './capacity.ts';
import { mergeInSlices } from './merge-in-slices.ts';
import { listTableOverlays, Overlay } from './overlay.ts';
import { createReader, createTransaction } from './table-access.ts';

/** Makes batches durable. */
export interface Sink {
  /**
   * Resolves when the next batch is to be saved, if there is one; commits that arrive before join it.
   * @param commitCount the number of commits that have arrived
   */
  gather(commitCount: () => number): Promise<void>;
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

/** Overlays up to this many rows are merged in one step. */
const SMALL_OVERLAY = 20;

export class OverlayStore {
  readonly reader: Reader;
  readonly #sink: Sink;
  readonly #capacity: Capacity;
  /** Topmost first: one overlay, two while the lower one is frozen, and those of a large batch while they are merged. */
  readonly #durable: Overlay[];
  /** Set while a large batch is merged into the overlay below it. */
  #merging: Promise<void> | undefined;
  readonly #derived = new Map<TableName, DerivedValues>(tableNames.map((name) => [name, new DerivedValues()]));
  readonly #derivedOf = (name: TableName) => this.#derived.get(name) as DerivedValues;
  #inFlight: Batch | undefined;
  #gathering: Batch | undefined;
  /** Changes when batches are dropped: older transactions have read rows that were never saved. */
  #generation = {};
  #queue: Promise<unknown> = Promise.resolve();
  #flushLoop: Promise<void> | undefined;
  readonly #maintenanceTasks: (() => Promise<void>)[] = [];
  #transactionCount = 0;
  #closed = false;

  /** @param base an owned base, or shared overlays (topmost first) that no longer change. */
  constructor(base: Overlay | readonly Overlay[], sink: Sink, capacity = defaultCapacity) {
    this.#durable = base instanceof Overlay ? [base] : [new Overlay('overlay'), ...base];
    this.#sink = sink;
    this.#capacity = capacity;
    this.reader = createReader({
      chainOf: (name) => listTableOverlays(this.#durable, name),
      derivedOf: this.#derivedOf,
      durable: true,
      pause: createPause(ACCESSES_PER_TURN),
    });
  }

  /** See `Store.transaction`. */
  async transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new StoreUnavailableError('The store is closed.');
    const turn = this.#runTransaction(work, this.#queue);
    this.#queue = turn.catch(() => {});
    const { outcome, dependsOn } = await turn;
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

  /** Runs between two batches, so that the rows are durable and do not change. */
  dump(): Promise<StoreDump> {
    return this.runMaintenance(async () => {
      const tables = new Map<TableName, readonly StoredRow[]>();
      for (const name of tableNames) tables.set(name, await this.reader[name].list());
      return { sequence: this.#sink.sequence, tables };
    });
  }

  /** Freezes the durable rows for a checkpoint; later batches go to an overlay above until `thaw`. */
  freeze(): Overlay {
    const [frozen] = this.#durable;
    if (frozen === undefined || this.#durable.length > 1) throw new Error('The store is already frozen.');
    this.#durable.unshift(new Overlay('overlay'));
    return frozen;
  }

  /** Shares the durable rows with forks, permanently: this store continues in an overlay above and never thaws. */
  share(): readonly Overlay[] {
    if (!this.#durable[0]?.empty) this.#durable.unshift(new Overlay('overlay'));
    return this.#durable.slice(1);
  }

  /** Merges the changes since `freeze` into the frozen overlay, in slices. */
  async thaw(): Promise<void> {
    for (;;) {
      // A large batch changes the upper overlay.
      while (this.#merging !== undefined) await this.#merging;
      const [upper, lower] = this.#durable;
      if (upper === undefined || lower === undefined) return;
      if (upper.size <= SMALL_OVERLAY) {
        lower.merge(upper);
        this.#durable.shift();
        return;
      }
      // New batches go to another overlay, so that this one does not change. Each round is smaller.
      this.#durable.unshift(new Overlay('overlay'));
      await this.#mergeDown(upper, lower);
    }
  }

  /** Rejects new transactions and resolves once the running ones are saved or have failed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    while (this.#flushLoop !== undefined) await this.#flushLoop;
  }

  async #runTransaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    previous: Promise<unknown>,
  ): Promise<TransactionResult<Result>> {
    await previous;
    this.#transactionCount += 1;
    if (this.#transactionCount % TRANSACTIONS_PER_TURN === 0) await setImmediate();
    const health = this.#sink.health();
    if (!health.writable && health.permanent) throw new StoreUnavailableError(health.reason);
    const attempt = this.#startTransaction();
    try {
      const result = await work(attempt.transaction);
      return { outcome: () => result, dependsOn: attempt.commit() };
    } catch (error) {
      return { outcome: () => rethrow(error), dependsOn: attempt.abandon() };
    }
  }

  #startTransaction(): TransactionAttempt {
    const generation = this.#generation;
    const top = new Overlay('transient');
    let ended = false;
    const assertActive = () => {
      if (ended) throw new Error('The transaction has ended. Await every access within it.');
      if (generation !== this.#generation)
        throw new StoreUnavailableError('A change that this transaction has read could not be saved.');
    };
    const transaction = createTransaction({
      chainOf: (name) => {
        assertActive();
        return listTableOverlays([top, ...this.#pending(), ...this.#durable], name);
      },
      topOf: (name) => top.table(name),
      derivedOf: this.#derivedOf,
      durable: false,
      capacity: this.#capacity,
      pause: createPause(ACCESSES_PER_TURN),
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
      if (this.#gathering !== undefined || this.#maintenanceTasks.length > 0) this.#startFlushLoop();
    });
  }

  async #runFlushLoop(): Promise<void> {
    await this.#gather();
    for (;;) {
      const task = this.#maintenanceTasks.shift();
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
    const merged = this.#publish(batch);
    this.#inFlight = undefined;
    batch.settle.resolve();
    await merged;
  }

  /** Makes a durable batch visible in one step. @returns when a large one is merged, which the next batch waits for. */
  #publish({ overlays }: Batch): Promise<void> | undefined {
    const lower = this.#durable[0] as Overlay;
    const upwards = [...overlays].reverse();
    for (const overlay of upwards) for (const { shape } of overlay.parts()) this.#derivedOf(shape.name).invalidate();
    if (upwards.every(({ size }) => size <= LARGE_OVERLAY)) {
      for (const overlay of upwards) lower.merge(overlay);
      return undefined;
    }
    this.#durable.unshift(...overlays);
    this.#merging = this.#mergeBatch(upwards, lower).finally(() => {
      this.#merging = undefined;
    });
    return this.#merging;
  }

  async #mergeBatch(upwards: readonly Overlay[], lower: Overlay): Promise<void> {
    for (const overlay of upwards) await this.#mergeDown(overlay, lower);
  }

  /** Merges `upper` into `lower` in slices; `upper` must not change meanwhile. */
  async #mergeDown(upper: Overlay, lower: Overlay): Promise<void> {
    await runInSlices(mergeInSlices(lower, upper));
    this.#durable.splice(this.#durable.indexOf(upper), 1);
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

function rethrow(error: unknown): never {
  throw error;
}
