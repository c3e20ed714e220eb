/** Writes the write-ahead log: group commit, rotation and disk failures. */
import { runInSlices, waitWhileGrowing } from '../../lib/event-loop-turns.ts';
import type { Overlay } from '../memory/overlay.ts';
import type { Sink } from '../memory/overlay-store.ts';
import { type DiskStats, type StoreHealth, StoreUnavailableError } from '../store.ts';
import type { Chain } from './chain.ts';
import { type Disk, type DiskFile, isDiskFull, isFailedSync, isTemporaryFailure, writeAll, writeFile } from './disk.ts';
import type { LogStoreEvent } from './events.ts';
import { closedSegmentName, type Layout } from './layout.ts';
import { persistRecovered, tryPersistRecovered } from './persist-recovered.ts';
import type { ClosedSegment, RecoveredStore } from './recovery.ts';
import { encodeBatch, encodeHeader, type PreparedCommit, prepareCommit, type WalPosition } from './wal-record.ts';
import { isInPlace, isInPlaceNow, type WatchedFile, watchFile } from './watched-file.ts';

/** A check of the files in place that is as recent is not repeated before a batch is written. */
const RECENT_CHECK_MILLISECONDS = 20;

/** Creates the first segment of a new store. */
export async function createWal(disk: Disk, layout: Layout, chain: Chain): Promise<void> {
  await writeFile(disk, layout.wal, encodeHeader({ first: 1, epoch: 1, chain }));
}

/** The next segment: its file is durable under the name `nextWal`, but its header may not be in place yet. */
interface NextSegment {
  readonly file: DiskFile;
  readonly first: number;
  readonly end: number;
}

export class Wal implements Sink {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #log: LogStoreEvent;
  readonly #beforeAppend: () => Promise<void> | undefined;
  readonly #onAppend: () => void;
  readonly #epoch: number;
  #file: DiskFile;
  /** The lock file and the active segment; empty if the file system does not identify files reliably. */
  #watched: readonly WatchedFile[];
  #sequence: number;
  #chain: Chain;
  #first: number;
  /** The end of the durable part of the file. */
  #end: number;
  #closed: readonly ClosedSegment[];
  #health: StoreHealth = { writable: true };
  /** What a temporary failure left undone. It is tried again before the next write, which waits for it. */
  #unfinished: (() => Promise<void>) | undefined;
  /** Set while a rotation is in progress or unfinished. */
  #next: NextSegment | undefined;
  readonly #stopwatch: { now(): number } | undefined;
  /** When the files were found in place, by the stopwatch. */
  #checkedAt = Number.NEGATIVE_INFINITY;
  readonly #prepared = new WeakMap<Overlay, PreparedCommit>();
  #syncs = 0;
  #syncMilliseconds = 0;

  private constructor(context: WalOptions, file: DiskFile, watched: readonly WatchedFile[]) {
    const { disk, layout, log, beforeAppend, onAppend, recovered, stopwatch } = context;
    this.#stopwatch = stopwatch;
    this.#disk = disk;
    this.#layout = layout;
    this.#log = log;
    this.#beforeAppend = beforeAppend;
    this.#onAppend = onAppend;
    this.#file = file;
    this.#watched = watched;
    this.#epoch = recovered.epoch + 1;
    this.#sequence = recovered.sequence;
    this.#chain = recovered.chain;
    this.#first = recovered.wal.first;
    this.#end = recovered.wal.end;
    this.#closed = recovered.closed;
    if (context.diskFull === undefined) return;
    this.#unfinished = async () => {
      await recovered.keptTail?.truncate();
      await persistRecovered(context, file);
    };
    this.#reject('The disk was full at the start', context.diskFull);
    log({ event: 'write-failed', error: context.diskFull });
  }

  static async open(context: WalOptions): Promise<Wal> {
    const { disk, layout, lockFile } = context;
    const file = await disk.open(layout.wal, 'modify');
    try {
      const diskFull = context.diskFull ?? (await tryPersistRecovered(context, file));
      return new Wal(
        { ...context, diskFull },
        file,
        lockFile === undefined ? [] : [lockFile, await watchFile(layout.wal, file)],
      );
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The sequence of the last durable commit. */
  get sequence(): number {
    return this.#sequence;
  }

  /** As of the last durable commit. */
  get chain(): Chain {
    return this.#chain;
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

  /** Commits that arrive in consecutive event-loop turns share a write and a sync. */
  gather(commitCount: () => number): Promise<void> {
    return waitWhileGrowing(commitCount);
  }

  async prepare(commit: Overlay, late: Overlay): Promise<void> {
    if (!commit.empty) this.#prepared.set(commit, await runInSlices(prepareCommit(commit, late)));
  }

  async append(commits: readonly Overlay[]): Promise<void> {
    await this.#beforeAppend();
    const { pieces, lastHash } = await runInSlices(encodeBatch(this.#nextPosition(), commits, this.#prepared));
    // The rows of a commit stay for longer, until they are merged.
    for (const commit of commits) this.#prepared.delete(commit);
    this.#assertRunning();
    await this.#finish();
    // With another lock file, another server may write to the same log. Under load, the last batch was checked just now.
    if (!this.#isCheckRecent()) await this.#assertInPlace(this.#watched.slice(0, 1));
    const end = await this.#write(pieces);
    await this.#sync();
    await this.#assertInPlaceNow().catch((error: unknown) => this.#undoWrite(error));
    this.#end = end;
    this.#sequence += commits.length;
    this.#chain = { storeId: this.#chain.storeId, lastHash };
    this.#health = { writable: true };
    this.#onAppend();
  }

  /**
   * Starts a new segment, so that the previous ones end at a checkpoint. Must be called between batches.
   *
   * Until the first rename, a failure changes nothing of the log: the rotation is put off. After it, a temporary failure
   * rejects writes until the renames are completed, as recovery would complete them: the new segment is durable, so
   * all that is missing are names.
   */
  async rotate(): Promise<void> {
    this.#assertRunning();
    await this.#finish();
    if (this.#first > this.#sequence) return;
    // A checkpoint would overwrite the files of another server.
    await this.#assertInPlace(this.#watched);
    const position = this.#nextPosition();
    const header = encodeHeader(position);
    const next = { file: await this.#prepareNext(header), first: position.first, end: header.length };
    this.#next = next;
    try {
      await this.#activate(next, false);
    } catch (error) {
      this.#deferOrStop(error, () => this.#activate(next, true));
      throw error;
    }
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
    this.#health = {
      writable: false,
      problem: 'write-failed',
      reason: `The disk failed: ${String(error)}`,
      permanent: true,
    };
    this.#log({ event: 'writes-stopped', error });
  }

  async close(): Promise<void> {
    await this.#finish().catch(() => {});
    await this.#next?.file.close();
    await this.#file.close();
  }

  #nextPosition(): WalPosition {
    return { first: this.#sequence + 1, epoch: this.#epoch, chain: this.#chain };
  }

  #assertRunning(): void {
    if (!this.#health.writable && this.#health.permanent) throw new StoreUnavailableError(this.#health.reason);
  }

  /**
   * After a failure, the file ends with its durable part again, at the latest before the next write.
   * @returns the end of the file
   */
  async #write(pieces: readonly Buffer[]): Promise<number> {
    let end = this.#end;
    try {
      for (const piece of pieces) {
        await writeAll(this.#file, piece, end);
        end += piece.length;
      }
    } catch (error) {
      await this.#undoWrite(error);
    }
    return end;
  }

  /** Without the files in place nothing is undone: the log may belong to another process. */
  async #undoWrite(error: unknown): Promise<never> {
    this.#assertRunning();
    await this.#discardTail().catch((failure: unknown) => this.#deferOrStop(failure, () => this.#discardTail()));
    if (this.#unfinished === undefined) this.#reject('The last write failed', error);
    this.#log({ event: 'write-failed', error });
    throw error;
  }

  /**
   * Truncates a partial write, so that the next write starts at the end of the durable part. Repeating it is safe as long
   * as no sync has failed. A new segment would not help: a closed one must not have a torn tail.
   */
  async #discardTail(): Promise<void> {
    await this.#file.truncate(this.#end);
    await this.#orStop(this.#file.syncData());
  }

  /** Completes what a temporary failure left undone. */
  async #finish(): Promise<void> {
    const unfinished = this.#unfinished;
    if (unfinished === undefined) return;
    await this.#assertInPlace(this.#watched.slice(0, 1));
    try {
      await unfinished();
    } catch (error) {
      this.#deferOrStop(error, unfinished);
      this.#log({ event: 'write-failed', error });
      throw error;
    }
    this.#unfinished = undefined;
    this.#health = { writable: true };
  }

  /** After a temporary failure, `step` precedes the next write. Other failures leave the disk in an unknown state. */
  #deferOrStop(error: unknown, step: () => Promise<void>): void {
    const stopped = !this.#health.writable && this.#health.permanent;
    if (stopped || !isTemporaryFailure(error)) {
      this.#unfinished = undefined;
      this.stop(error);
      return;
    }
    this.#unfinished = step;
    this.#reject('The last write is not undone or a new log segment is not in place', error);
  }

  /** Rejects writes until one succeeds. */
  #reject(what: string, error: unknown): void {
    if (!this.#health.writable && this.#health.permanent) return;
    const problem = isDiskFull(error) ? 'disk-full' : 'write-failed';
    this.#health = { writable: false, problem, reason: `${what}: ${String(error)}`, permanent: false };
  }

  async #sync(): Promise<void> {
    const before = this.#stopwatch?.now() ?? 0;
    await this.#orStop(this.#file.syncData());
    this.#syncs += 1;
    this.#syncMilliseconds += (this.#stopwatch?.now() ?? 0) - before;
  }

  #isCheckRecent(): boolean {
    return (this.#stopwatch?.now() ?? 0) - this.#checkedAt < RECENT_CHECK_MILLISECONDS;
  }

  /**
   * Stops the writes if the lock file or the log was replaced or removed: another process may use the folder, and this
   * one writes to a file that no start will read. A replacement after the check is not detected.
   */
  async #assertInPlace(watched: readonly WatchedFile[]): Promise<void> {
    const found = await Promise.all(watched.map((one) => isInPlace(this.#disk, one)));
    const at = found.indexOf(false);
    if (at < 0) {
      this.#recordCheck();
      return;
    }
    const file = watched[at]?.path ?? '';
    const reason = `${file} was replaced or removed while the store was open. Stop this server, check which files are the right ones, and start it again.`;
    this.#health = { writable: false, problem: 'files-replaced', reason, permanent: true };
    this.#log({ event: 'dispossessed', file, reason });
    throw new StoreUnavailableError(reason);
  }

  async #assertInPlaceNow(): Promise<void> {
    if (this.#watched.every((one) => isInPlaceNow(this.#disk, one))) this.#recordCheck();
    else await this.#assertInPlace(this.#watched);
  }

  #recordCheck(): void {
    this.#checkedAt = this.#stopwatch?.now() ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Puts the next segment in place of the active one. Syncs the folder after each rename, as unsynced renames may become
   * durable in any order.
   * @param again whether an earlier attempt may have done a part; the names in the folder show which.
   */
  async #activate(next: NextSegment, again: boolean): Promise<void> {
    const { folder, wal, nextWal, path } = this.#layout;
    const closed = { file: path(closedSegmentName(this.#first)), first: this.#first };
    const names = again ? ((await this.#disk.list(folder)) ?? []).map(path) : [wal, nextWal];
    if (!names.includes(closed.file)) await this.#disk.rename(wal, closed.file);
    else if (names.includes(wal) && names.includes(nextWal)) throw new Error(`${closed.file} exists already`);
    await this.#disk.syncFolder(folder);
    if (names.includes(nextWal)) await this.#disk.rename(nextWal, wal);
    await this.#disk.syncFolder(folder);
    const [lockFile] = this.#watched;
    if (lockFile !== undefined) this.#watched = [lockFile, await watchFile(wal, next.file)];
    const old = this.#file;
    this.#file = next.file;
    this.#next = undefined;
    this.#first = next.first;
    this.#end = next.end;
    this.#closed = [...this.#closed, closed];
    // Nothing depends on it: all commits of the old segment are durable.
    await old.close().catch(() => {});
  }

  /** A failure loses nothing, unless it is that of a sync: see `isFailedSync`. */
  async #prepareNext(header: Buffer): Promise<DiskFile> {
    const { folder, nextWal } = this.#layout;
    try {
      await writeFile(this.#disk, nextWal, header);
      await this.#disk.syncFolder(folder);
      return await this.#disk.open(nextWal, 'modify');
    } catch (error) {
      if (isFailedSync(error)) this.stop(error);
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
  /** Awaited before every batch: slows writers down. */
  readonly beforeAppend: () => Promise<void> | undefined;
  /** Called after every batch. */
  readonly onAppend: () => void;
  readonly recovered: RecoveredStore;
  /** See `StoreLock.watched`. */
  readonly lockFile: WatchedFile | undefined;
  /** The error of a start on a full disk: the store is not writable until a write succeeds. */
  readonly diskFull?: unknown;
  readonly stopwatch?: { now(): number } | undefined;
}
