/** Writes the write-ahead log: group commit, rotation and disk failures. */
import { setImmediate } from 'node:timers/promises';
import type { Overlay } from '../memory/overlay.ts';
import type { Sink } from '../memory/overlay-store.ts';
import { type DiskStats, type StoreHealth, StoreUnavailableError } from '../store.ts';
import { type Disk, type DiskFile, isDiskFull, writeAll, writeFile } from './disk.ts';
import type { LogStoreEvent } from './events.ts';
import { closedSegmentName, type Layout } from './layout.ts';
import type { ClosedSegment, RecoveryResult } from './recovery.ts';
import { encodeBatch, encodeHeader } from './wal-record.ts';

/** Creates the first segment of a new store. */
export async function createWal(disk: Disk, layout: Layout): Promise<void> {
  await writeFile(disk, layout.wal, encodeHeader(1, 1));
}

export class Wal implements Sink {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #log: LogStoreEvent;
  readonly #onAppend: () => void;
  readonly #epoch: number;
  #file: DiskFile;
  #sequence: number;
  #first: number;
  /** The end of the durable part of the file. */
  #end: number;
  #closed: readonly ClosedSegment[];
  #health: StoreHealth = { writable: true };
  readonly #stopwatch: { now(): number } | undefined;
  #syncs = 0;
  #syncMilliseconds = 0;

  private constructor(context: WalOptions, file: DiskFile) {
    const { disk, layout, log, onAppend, recovered, stopwatch } = context;
    this.#stopwatch = stopwatch;
    this.#disk = disk;
    this.#layout = layout;
    this.#log = log;
    this.#onAppend = onAppend;
    this.#file = file;
    this.#epoch = recovered.epoch + 1;
    this.#sequence = recovered.sequence;
    this.#first = recovered.wal.first;
    this.#end = recovered.wal.end;
    this.#closed = recovered.closed;
  }

  static async open(context: WalOptions): Promise<Wal> {
    return new Wal(context, await context.disk.open(context.layout.wal, 'modify'));
  }

  /** The sequence of the last durable commit. */
  get sequence(): number {
    return this.#sequence;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** The size of the active segment. */
  get size(): number {
    return this.#end;
  }

  health(): StoreHealth {
    return this.#health;
  }

  /** Waits one event-loop turn: commits of the same turn share a batch. */
  async gather(): Promise<void> {
    await setImmediate();
  }

  async append(commits: readonly Overlay[]): Promise<void> {
    this.#assertRunning();
    const bytes = encodeBatch(this.#sequence + 1, this.#epoch, commits);
    await this.#write(bytes);
    await this.#sync();
    this.#end += bytes.length;
    this.#sequence += commits.length;
    this.#health = { writable: true };
    this.#onAppend();
  }

  /**
   * Starts a new segment, so that the previous ones end at a checkpoint. Must be called between batches.
   * Syncs the folder after each rename, as unsynced renames may become durable in any order.
   */
  async rotate(): Promise<void> {
    this.#assertRunning();
    if (this.#first > this.#sequence) return;
    const first = this.#sequence + 1;
    const header = encodeHeader(first, this.#epoch);
    const file = await this.#prepareNext(header);
    const closed = { file: this.#layout.path(closedSegmentName(this.#first)), first: this.#first };
    try {
      // A failure from here on is final: a log without its active segment accepts no commits.
      await this.#orStop(this.#activateNext(closed.file));
    } catch (error) {
      await file.close().catch(() => {});
      throw error;
    }
    const old = this.#file;
    this.#file = file;
    this.#first = first;
    this.#end = header.length;
    this.#closed = [...this.#closed, closed];
    await old.close();
  }

  /** Removes the closed segments that end at or before a sequence. */
  async removeUntil(sequence: number): Promise<void> {
    for (;;) {
      const [oldest, next] = this.#closed;
      const end = (next?.first ?? this.#first) - 1;
      if (oldest === undefined || end > sequence) return;
      await this.#disk.remove(oldest.file);
      this.#closed = this.#closed.slice(1);
    }
  }

  diskStats(): DiskStats {
    return { walBytes: this.#end, syncs: this.#syncs, syncSeconds: this.#syncMilliseconds / 1000 };
  }

  /** Rejects writes permanently: the contents of the disk are unknown after a failed sync. */
  stop(error: unknown): void {
    if (!this.#health.writable && this.#health.permanent) return;
    this.#health = { writable: false, reason: `The disk failed: ${String(error)}`, permanent: true };
    this.#log({ event: 'writes-stopped', error });
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #assertRunning(): void {
    if (!this.#health.writable && this.#health.permanent) throw new StoreUnavailableError(this.#health.reason);
  }

  /** Truncates a partial write, so that the next write starts at the end of the durable part. */
  async #write(bytes: Buffer): Promise<void> {
    try {
      await writeAll(this.#file, bytes, this.#end);
    } catch (error) {
      await this.#orStop(this.#file.truncate(this.#end));
      await this.#orStop(this.#file.syncData());
      this.#health = { writable: false, reason: `The last write failed: ${String(error)}`, permanent: false };
      this.#log({ event: 'write-failed', error });
      throw error;
    }
  }

  async #sync(): Promise<void> {
    const before = this.#stopwatch?.now() ?? 0;
    await this.#orStop(this.#file.syncData());
    this.#syncs += 1;
    this.#syncMilliseconds += (this.#stopwatch?.now() ?? 0) - before;
  }

  async #activateNext(closedFile: string): Promise<void> {
    const { folder, wal, nextWal } = this.#layout;
    await this.#disk.rename(wal, closedFile);
    await this.#disk.syncFolder(folder);
    await this.#disk.rename(nextWal, wal);
    await this.#disk.syncFolder(folder);
  }

  async #prepareNext(header: Buffer): Promise<DiskFile> {
    const { folder, nextWal } = this.#layout;
    try {
      await writeFile(this.#disk, nextWal, header);
      await this.#disk.syncFolder(folder);
      return await this.#disk.open(nextWal, 'modify');
    } catch (error) {
      if (!isDiskFull(error)) this.stop(error);
      await this.#disk.remove(nextWal).catch(() => {});
      throw error;
    }
  }

  async #orStop<Result>(step: Promise<Result>): Promise<Result> {
    try {
      return await step;
    } catch (error) {
      this.stop(error);
      throw error;
    }
  }
}

export interface WalOptions {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly log: LogStoreEvent;
  /** Called after every batch. */
  readonly onAppend: () => void;
  readonly recovered: RecoveryResult;
  readonly stopwatch?: { now(): number } | undefined;
}
