/** Schedules and writes checkpoints: rotate the log, freeze, write, thaw, remove obsolete segments. */
import type { Timer } from '../../lib/timer.ts';
import type { Overlay } from '../memory/overlay.ts';
import type { FrozenRows, OverlayStore } from '../memory/overlay-store.ts';
import { writeCheckpoint } from './checkpoint-adapter.ts';
import { type Checkpoint, listRows } from './checkpoint-format.ts';
import { type Disk, isFailedSync } from './disk.ts';
import type { LogStoreEvent } from './events.ts';
import type { Layout } from './layout.ts';
import type { Wal } from './wal.ts';

export interface CheckpointTuning {
  /** Delay from the first commit after a checkpoint to the next checkpoint; Infinity: only the size of the log counts. */
  readonly delayMilliseconds: number;
  /** A checkpoint is due at once when the write-ahead log exceeds this size and that of the last checkpoint. */
  readonly walBytes: number;
  /** While a checkpoint is written, writers wait when the log exceeds this size and twice that of the last checkpoint. */
  readonly maxWalBytes: number;
}

export const defaultTuning: CheckpointTuning = {
  delayMilliseconds: 2_000,
  walBytes: 8 * 1024 * 1024,
  maxWalBytes: 64 * 1024 * 1024,
};

/**
 * A larger checkpoint is not rewritten by the timer until the log reaches this share of its size: a byte of the log then
 * costs about three bytes of checkpoints at most, and a start after a crash mostly reads half as much again at most.
 */
const SMALL_CHECKPOINT = 1024 * 1024;
const MIN_WAL_SHARE = 0.5;

export interface CheckpointerOptions {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly clock: { now(): Date };
  readonly timer: Timer;
  readonly log: LogStoreEvent;
  readonly tuning: CheckpointTuning;
  readonly wal: Wal;
  readonly overlayStore: OverlayStore;
  /** The checkpoint that the store was loaded from. */
  readonly last: { readonly sequence: number; readonly size: number };
}

export class Checkpointer {
  readonly #context: CheckpointerOptions;
  #last: { readonly sequence: number; readonly size: number };
  #running: Promise<void> | undefined;
  /** Resolves when the checkpoint in progress is written or has failed. */
  #writing: Promise<void> | undefined;
  /** Cancels the pending timer. */
  #cancelTimer: (() => void) | undefined;
  /** After a failure, the next attempt waits for the delay, to spare a full disk. */
  #failed = false;
  #stopped = false;

  constructor(context: CheckpointerOptions) {
    this.#context = context;
    this.#last = context.last;
  }

  /**
   * Must be awaited before every batch. Without it, writers that are faster than the checkpoints would let the log, the
   * next start and the overlay above the frozen rows grow without bound. Never waits for a checkpoint that has yet to
   * rotate the log: that one waits for the batch.
   */
  beforeAppend(): Promise<void> | undefined {
    const { wal, tuning } = this.#context;
    if (this.#writing === undefined || wal.size <= Math.max(tuning.maxWalBytes, 2 * this.#last.size)) return undefined;
    return this.#writing;
  }

  /** Must be called after every batch. */
  onAppend(): void {
    if (this.#stopped) return;
    const { wal, tuning } = this.#context;
    if (!this.#failed && wal.size > Math.max(tuning.walBytes, this.#last.size)) this.#runInBackground();
    this.#startTimer();
  }

  /** Writes a checkpoint, unless nothing has changed since the last one. */
  run(): Promise<void> {
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Stops scheduling and waits for a running checkpoint. `run` still works. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#running?.catch(() => {});
  }

  #startTimer(): void {
    // A timer that fires never would retain the store of a process that a test kills.
    const { timer, tuning } = this.#context;
    if (tuning.delayMilliseconds === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer ??= timer.after(tuning.delayMilliseconds, () => this.#onTimer());
  }

  #onTimer(): void {
    this.#cancelTimer = undefined;
    const { size } = this.#last;
    // The segments that a failed attempt has closed count no longer as the size of the log.
    if (this.#failed || size < SMALL_CHECKPOINT || this.#context.wal.size > size * MIN_WAL_SHARE)
      this.#runInBackground();
  }

  /** A failure is logged and loses nothing: the write-ahead log contains all commits. */
  #runInBackground(): void {
    this.run().catch(() => {});
  }

  async #write(): Promise<void> {
    const { wal, log } = this.#context;
    if (wal.sequence === this.#last.sequence) return;
    try {
      const previous = this.#last.sequence;
      this.#last = await this.#writeFrozen();
      this.#failed = false;
      log({ event: 'checkpoint-written', sequence: this.#last.sequence, bytes: this.#last.size });
      // The previous checkpoint and the log since then are retained as a fallback for a damaged checkpoint.
      await wal.removeUntil(previous);
    } catch (error) {
      this.#failed = true;
      // Tried again even without further writes: a checkpoint also completes an interrupted rotation.
      if (!this.#stopped) this.#startTimer();
      log({ event: 'checkpoint-failed', error });
      if (isFailedSync(error)) wal.stop(error);
      throw error;
    }
  }

  async #writeFrozen(): Promise<{ sequence: number; size: number }> {
    const { disk, layout, clock, wal, overlayStore } = this.#context;
    let chain = wal.chain;
    let finish = () => {};
    const rotate = async () => {
      await wal.rotate();
      chain = wal.chain;
    };
    const write = async ({ sequence, overlays }: FrozenRows) => {
      this.#writing = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const tables = listRows(overlays[0] as Overlay);
      const checkpoint: Checkpoint = {
        sequence,
        epoch: wal.epoch,
        writtenAt: clock.now().toISOString(),
        chain,
        tables,
      };
      return { sequence, size: await writeCheckpoint(disk, layout, checkpoint) };
    };
    try {
      return await overlayStore.runFrozen(write, rotate);
    } finally {
      finish();
      this.#writing = undefined;
    }
  }
}
