/**
 * The part that all embedded engines share: rows in memory, serial transactions, group commit.
 *
 * Layers, from the top: what the running transaction wrote; the batch that gathers commits; the batch that is being
 * saved; what is durable. Plain reads see the durable part only, transactions see all of it. A batch that could not
 * be saved is dropped together with everything built upon it.
 */
import { setImmediate } from 'node:timers/promises';
import { createPause } from '../for-each-yielding.ts';
import { createReader, createTransaction } from './access.ts';
import { Batch } from './batch.ts';
import { mergeInSlices } from './merge-in-slices.ts';
import { listTableOverlays, Overlay, type StoredRow, tableNames } from './overlay.ts';
import { type Reader, type StoreDump, type StoreHealth, StoreUnavailableError, type Transaction } from './store.ts';
import type { TableName } from './tables.ts';

/** Where batches are made durable. */
export interface Sink {
  /** Resolves when it is time to save: commits that arrive before share a batch. */
  gather(): Promise<void>;
  /** Resolves when all of it is durable; rejects when none of it may be counted on. */
  append(commits: readonly Overlay[]): Promise<void>;
  health(): StoreHealth;
  /** The last commit that is durable; 0 where nobody counts. */
  readonly sequence: number;
}

/** How many transactions run before others (timers, sockets) get a turn. */
const TRANSACTIONS_PER_TURN = 64;

/** Accesses to rows in one turn of the event loop: some milliseconds of it. */
const ACCESSES_PER_TURN = 1_000;

/** So many rows are moved at once without anybody noticing. */
const SMALL_OVERLAY = 20;

export class OverlayStore {
  readonly reader: Reader;
  readonly #sink: Sink;
  /** Topmost first. One layer, but while it is frozen there is another above it. */
  readonly #durable: Overlay[];
  /** Of what is durable of each table: a new one with each change. */
  readonly #stamps = new Map<TableName, object>(tableNames.map((name) => [name, {}]));
  #inFlight: Batch | undefined;
  #gathering: Batch | undefined;
  /** Changes when batches are dropped: a transaction that began before it has seen what never happened. */
  #generation = {};
  #queue: Promise<unknown> = Promise.resolve();
  #flushLoop: Promise<void> | undefined;
  readonly #maintenanceTasks: (() => Promise<void>)[] = [];
  #transactionCount = 0;
  #closed = false;

  /** Upon a bottom of its own, or upon layers of others, topmost first, that nobody changes any more. */
  constructor(base: Overlay | readonly Overlay[], sink: Sink) {
    this.#durable = base instanceof Overlay ? [base] : [new Overlay('overlay'), ...base];
    this.#sink = sink;
    this.reader = createReader({
      chainOf: (name) => listTableOverlays(this.#durable, name),
      stampOf: (name) => this.#stamps.get(name) as object,
      pause: createPause(ACCESSES_PER_TURN),
    });
  }

  /** See `Store.transaction`. */
  async transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new StoreUnavailableError('The store is closed.');
    const turn = this.#queue.then(() => this.#runTransaction(work));
    this.#queue = turn.catch(() => {});
    const { outcome, dependsOn } = await turn;
    // An answer, be it an error of the work's own, may rest on what was seen: so that has to be durable first.
    await dependsOn?.done;
    return outcome();
  }

  health(): StoreHealth {
    if (this.#closed) return { writable: false, reason: 'The store is closed.', permanent: true };
    return this.#sink.health();
  }

  /** Runs an errand at a moment when no batch is being saved. */
  runMaintenance<Result>(task: () => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#maintenanceTasks.push(() => task().then(resolve, reject));
      this.#startFlushLoop();
    });
  }

  /** Between two batches nothing but what is durable is seen, and it stands still. */
  dump(): Promise<StoreDump> {
    return this.runMaintenance(async () => {
      const tables = new Map<TableName, readonly StoredRow[]>();
      for (const name of tableNames) tables.set(name, await this.reader[name].list());
      return { sequence: this.#sink.sequence, tables };
    });
  }

  /** Freezes what is durable now, for reading at leisure; later batches go to a layer above it until `thaw`. */
  freeze(): Overlay {
    const [frozen] = this.#durable;
    if (frozen === undefined || this.#durable.length > 1) throw new Error('The store is frozen already.');
    this.#durable.unshift(new Overlay('overlay'));
    return frozen;
  }

  /** Gives what is durable now to stores that build upon it. For good: this one goes on in a layer above, and never thaws. */
  share(): readonly Overlay[] {
    if (!this.#durable[0]?.empty) this.#durable.unshift(new Overlay('overlay'));
    return this.#durable.slice(1);
  }

  /** Moves what came since `freeze` into the frozen layer, a slice at a time, and is done with it. */
  async thaw(): Promise<void> {
    for (;;) {
      const [upper, lower] = this.#durable;
      if (upper === undefined || lower === undefined) return;
      if (upper.size <= SMALL_OVERLAY) {
        lower.merge(upper);
        this.#durable.shift();
        return;
      }
      // What comes meanwhile goes above, so that this one stands still. It is less each time round.
      this.#durable.unshift(new Overlay('overlay'));
      for (const _ of mergeInSlices(lower, upper)) await setImmediate();
      this.#durable.splice(1, 1);
    }
  }

  /** Takes no new transactions and resolves when those under way are saved or have failed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    while (this.#flushLoop !== undefined) await this.#flushLoop;
  }

  async #runTransaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<TransactionResult<Result>> {
    this.#transactionCount += 1;
    if (this.#transactionCount % TRANSACTIONS_PER_TURN === 0) await setImmediate();
    const health = this.#sink.health();
    if (!health.writable && health.permanent) throw new StoreUnavailableError(health.reason);
    const attempt = this.#begin();
    try {
      const result = await work(attempt.transaction);
      return { outcome: () => result, dependsOn: attempt.commit() };
    } catch (error) {
      return { outcome: () => rethrow(error), dependsOn: attempt.abandon() };
    }
  }

  #begin(): TransactionAttempt {
    const generation = this.#generation;
    const top = new Overlay('transient');
    let over = false;
    const assertActive = () => {
      if (over) throw new Error('The transaction is over: await what is done in it.');
      if (generation !== this.#generation)
        throw new StoreUnavailableError('What the transaction has seen was not saved.');
    };
    const transaction = createTransaction({
      chainOf: (name) => {
        assertActive();
        return listTableOverlays([top, ...this.#pending(), ...this.#durable], name);
      },
      topOf: (name) => top.table(name),
      pause: createPause(ACCESSES_PER_TURN),
    });
    const abandon = () => {
      assertActive();
      over = true;
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
    return [this.#gathering?.overlay, this.#inFlight?.overlay].filter((layer) => layer !== undefined);
  }

  #startFlushLoop(): void {
    this.#flushLoop ??= this.#runFlushLoop().finally(() => {
      this.#flushLoop = undefined;
      if (this.#gathering !== undefined || this.#maintenanceTasks.length > 0) this.#startFlushLoop();
    });
  }

  async #runFlushLoop(): Promise<void> {
    await this.#sink.gather();
    for (;;) {
      const task = this.#maintenanceTasks.shift();
      if (task !== undefined) await task();
      else if (this.#gathering !== undefined) await this.#save(this.#gathering);
      else return;
    }
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
    this.#durable[0]?.merge(batch.overlay);
    for (const { shape } of batch.overlay.parts()) this.#stamps.set(shape.name, {});
    this.#inFlight = undefined;
    batch.settle.resolve();
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
  /** Ends the transaction with its writes taken over; gives the batch to wait for. */
  commit(): Batch | undefined;
  /** Ends the transaction without its writes; gives the batch whose rows it may have seen. */
  abandon(): Batch | undefined;
}

interface TransactionResult<Result> {
  readonly outcome: () => Result;
  readonly dependsOn: Batch | undefined;
}

function rethrow(error: unknown): never {
  throw error;
}
