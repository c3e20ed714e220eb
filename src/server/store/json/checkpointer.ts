/** When a checkpoint is written, and in which order: rotate, freeze, write, thaw, drop what is no longer needed. */
import type { Overlay, StoredRow, TableOverlay } from '../overlay.ts';
import { tableNames } from '../overlay.ts';
import type { OverlayStore } from '../overlay-store.ts';
import { writeCheckpoint } from './checkpoint-adapter.ts';
import type { Checkpoint } from './checkpoint-format.ts';
import { type Disk, isFailedSync } from './disk.ts';
import type { LogStoreEvent } from './events.ts';
import type { Layout } from './layout.ts';
import type { Wal } from './wal.ts';

export interface CheckpointTuning {
  /** A checkpoint is due so long after the first commit that the last one lacks, whether or not others follow. */
  readonly delayMilliseconds: number;
  /** A checkpoint is due at once when the journal is longer than this, and than the last checkpoint. */
  readonly walBytes: number;
}

export const defaultTuning: CheckpointTuning = { delayMilliseconds: 2_000, walBytes: 8 * 1024 * 1024 };

/** One of more than this is not written then, but where the journal has grown to a part of it. */
const SMALL_CHECKPOINT = 1024 * 1024;
const MIN_WAL_FRACTION = 8;

export interface CheckpointerOptions {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly clock: { now(): Date };
  readonly log: LogStoreEvent;
  readonly tuning: CheckpointTuning;
  readonly wal: Wal;
  readonly overlayStore: OverlayStore;
  /** The checkpoint that the state was loaded from. */
  readonly last: { readonly sequence: number; readonly size: number };
}

export class Checkpointer {
  readonly #context: CheckpointerOptions;
  #last: { readonly sequence: number; readonly size: number };
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** After a failure, the next is tried only after the delay: a full disk is not to be hammered. */
  #failed = false;
  #stopped = false;

  constructor(context: CheckpointerOptions) {
    this.#context = context;
    this.#last = context.last;
  }

  /** To be called after every batch. */
  onAppend(): void {
    if (this.#stopped) return;
    const { wal, tuning } = this.#context;
    if (!this.#failed && wal.size > Math.max(tuning.walBytes, this.#last.size)) this.#runInBackground();
    this.#timer ??= setTimeout(() => this.#onTimer(), tuning.delayMilliseconds).unref();
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
    clearTimeout(this.#timer);
    await this.#running?.catch(() => {});
  }

  #onTimer(): void {
    this.#timer = undefined;
    const { size } = this.#last;
    if (size < SMALL_CHECKPOINT || this.#context.wal.size > size / MIN_WAL_FRACTION) this.#runInBackground();
  }

  /** A failure is in the log; the journal holds everything, so nothing is lost. */
  #runInBackground(): void {
    this.run().catch(() => {});
  }

  async #write(): Promise<void> {
    const { wal, log } = this.#context;
    if (wal.sequence === this.#last.sequence) return;
    try {
      const former = this.#last.sequence;
      this.#last = await this.#writeFrozen();
      this.#failed = false;
      log({ event: 'checkpoint-written', sequence: this.#last.sequence, bytes: this.#last.size });
      // The former checkpoint stays, with the journal since: together they stand in for this one if it is damaged.
      await wal.removeUntil(former);
    } catch (error) {
      this.#failed = true;
      log({ event: 'checkpoint-failed', error });
      if (isFailedSync(error)) wal.stop(error);
      throw error;
    }
  }

  async #writeFrozen(): Promise<{ sequence: number; size: number }> {
    const { disk, layout, clock, wal, overlayStore } = this.#context;
    const { sequence, frozen } = await overlayStore.runMaintenance(async () => {
      await wal.rotate();
      return { sequence: wal.sequence, frozen: overlayStore.freeze() };
    });
    try {
      const writtenAt = clock.now().toISOString();
      const checkpoint: Checkpoint = { sequence, epoch: wal.epoch, writtenAt, tables: listRows(frozen) };
      return { sequence, size: await writeCheckpoint(disk, layout, checkpoint) };
    } finally {
      await overlayStore.thaw();
    }
  }
}

/** The rows of a layer, each looked up only when its turn comes. */
export function listRows(frozen: Overlay): ReadonlyMap<string, Iterable<StoredRow>> {
  return new Map(tableNames.map((name) => [name, rowsInOrder(frozen.peek(name))]));
}

function* rowsInOrder(part: TableOverlay | undefined): Generator<StoredRow> {
  for (const key of part?.keys ?? []) yield part?.rows.get(key) as StoredRow;
}
