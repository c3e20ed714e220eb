/** When a checkpoint is written, and in which order: rotate, freeze, write, thaw, drop what is no longer needed. */
import type { Layer, StoredRow, TableLayer } from '../layer.ts';
import { tableNames } from '../layer.ts';
import type { LayeredStore } from '../layered-store.ts';
import { writeCheckpoint } from './checkpoint-adapter.ts';
import type { Checkpoint } from './checkpoint-format.ts';
import { type Disk, isFailedSync } from './disk.ts';
import type { LogStoreEvent } from './events.ts';
import type { Journal } from './journal.ts';
import type { Layout } from './layout.ts';

export interface CheckpointTuning {
  /** A checkpoint is due so long after the first commit that the last one lacks, whether or not others follow. */
  readonly delayMilliseconds: number;
  /** A checkpoint is due at once when the journal is longer than this, and than the last checkpoint. */
  readonly journalBytes: number;
}

export const defaultTuning: CheckpointTuning = { delayMilliseconds: 2_000, journalBytes: 8 * 1024 * 1024 };

/** One of more than this is not written then, but where the journal has grown to a part of it. */
const SMALL_CHECKPOINT = 1024 * 1024;
const WORTHWHILE_PART = 8;

export interface CheckpointerContext {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly clock: { now(): Date };
  readonly log: LogStoreEvent;
  readonly tuning: CheckpointTuning;
  readonly journal: Journal;
  readonly layered: LayeredStore;
  /** The checkpoint that the state was loaded from. */
  readonly last: { readonly sequence: number; readonly size: number };
}

export class Checkpointer {
  readonly #context: CheckpointerContext;
  #last: { readonly sequence: number; readonly size: number };
  #running: Promise<void> | undefined;
  #due: NodeJS.Timeout | undefined;
  /** After a failure, the next is tried only after the delay: a full disk is not to be hammered. */
  #failed = false;
  #stopped = false;

  constructor(context: CheckpointerContext) {
    this.#context = context;
    this.#last = context.last;
  }

  /** To be called after every batch. */
  noticeAppend(): void {
    if (this.#stopped) return;
    const { journal, tuning } = this.#context;
    if (!this.#failed && journal.size > Math.max(tuning.journalBytes, this.#last.size)) this.#runQuietly();
    this.#due ??= setTimeout(() => this.#whenDue(), tuning.delayMilliseconds).unref();
  }

  /** Writes a checkpoint of all that is durable now, unless the last one is. */
  run(): Promise<void> {
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Resolves when none is being written, and none will be unless `run` is called. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#due);
    await this.#running?.catch(() => {});
  }

  #whenDue(): void {
    this.#due = undefined;
    const { size } = this.#last;
    if (size < SMALL_CHECKPOINT || this.#context.journal.size > size / WORTHWHILE_PART) this.#runQuietly();
  }

  /** A failure is in the log; the journal holds everything, so nothing is lost. */
  #runQuietly(): void {
    this.run().catch(() => {});
  }

  async #write(): Promise<void> {
    const { journal, log } = this.#context;
    if (journal.sequence === this.#last.sequence) return;
    try {
      const former = this.#last.sequence;
      this.#last = await this.#writeFrozen();
      this.#failed = false;
      log({ event: 'checkpoint-written', sequence: this.#last.sequence, bytes: this.#last.size });
      // The former checkpoint stays, with the journal since: together they stand in for this one if it is damaged.
      await journal.dropUntil(former);
    } catch (error) {
      this.#failed = true;
      log({ event: 'checkpoint-failed', error });
      if (isFailedSync(error)) journal.stop(error);
      throw error;
    }
  }

  async #writeFrozen(): Promise<{ sequence: number; size: number }> {
    const { disk, layout, clock, journal, layered } = this.#context;
    const { sequence, frozen } = await layered.betweenBatches(async () => {
      await journal.rotate();
      return { sequence: journal.sequence, frozen: layered.freeze() };
    });
    try {
      const writtenAt = clock.now().toISOString();
      const checkpoint: Checkpoint = { sequence, epoch: journal.epoch, writtenAt, tables: rowsOf(frozen) };
      return { sequence, size: await writeCheckpoint(disk, layout, checkpoint) };
    } finally {
      await layered.thaw();
    }
  }
}

/** The rows of a layer, each looked up only when its turn comes. */
export function rowsOf(frozen: Layer): ReadonlyMap<string, Iterable<StoredRow>> {
  return new Map(tableNames.map((name) => [name, rowsInOrder(frozen.peek(name))]));
}

function* rowsInOrder(part: TableLayer | undefined): Generator<StoredRow> {
  for (const key of part?.keys ?? []) yield part?.rows.get(key) as StoredRow;
}
