/**
 * Audit log in a file. One write is in progress at a time, and the lines that arrive meanwhile share the next one. The file
 * is rotated at a size limit, and the oldest is deleted. Failed writes are retried with the next line.
 */
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { waitWhileGrowing } from '../lib/event-loop-turns.ts';
import type { Log } from '../lib/log.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import { nodeDisk } from '../store/file/node-disk.ts';
import type { AuditHealth, AuditSink } from './audit.ts';
import { WriteAttempt, writeLimitMs } from './write-attempt.ts';

export interface AuditFileOptions {
  readonly path: string;
  readonly log: Log;
  readonly rotateBytes?: number;
  /** Number of rotated files; audit.log.1 is the newest. */
  readonly maxFiles?: number;
  /** Max bytes queued while the disk is not writable. */
  readonly maxQueuedBytes?: number;
  /** Default: the system timer. */
  readonly timer?: Timer;
}

const defaultRotateBytes = 64 * 1024 * 1024;
export const maxRotatedFiles = 5;
const defaultMaxQueuedBytes = 4 * 1024 * 1024;
/** How long after a write its lines are synced to the disk, with those that follow in the meantime. */
const syncDelayMs = 1_000;

/** Opens or creates the file with mode 0600. @throws the system error. */
export async function openAuditFile(options: AuditFileOptions): Promise<AuditSink> {
  const file = new AuditFile(options);
  await file.open();
  return file;
}

class AuditFile implements AuditSink {
  readonly #options: Required<AuditFileOptions>;
  #handle: FileHandle | undefined;
  #size = 0;
  /** Devices and pipes are not rotated. */
  #isRegular = false;
  /** Whether the folder may not contain the name of the file durably. */
  #isNew = false;
  /** Whether the file ends with a part of the pending bytes, which must follow in the same file. */
  #isPartial = false;
  #queue: string[] = [];
  #queuedBytes = 0;
  /** Bytes being written; after a failure, the bytes still to write. */
  #pending: Buffer = Buffer.alloc(0);
  #writing: Promise<void> | undefined;
  /** The write in progress and the next one, if requests wait for them. */
  #attempt: WriteAttempt | undefined;
  #nextAttempt: WriteAttempt | undefined;
  /** Whether the write in progress has exceeded its time limit. */
  #hangs = false;
  #cancelSync: (() => void) | undefined;
  #health: AuditHealth = { writable: true, lost: 0 };

  constructor(options: AuditFileOptions) {
    this.#options = {
      rotateBytes: defaultRotateBytes,
      maxFiles: maxRotatedFiles,
      maxQueuedBytes: defaultMaxQueuedBytes,
      timer: systemTimer,
      ...options,
    };
  }

  async open(): Promise<void> {
    const handle = await open(this.#options.path, 'a+', 0o600);
    try {
      await this.#prepare(handle);
      this.#handle = handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #prepare(handle: FileHandle): Promise<void> {
    const found = await handle.stat();
    this.#isRegular = found.isFile();
    this.#size = this.#isRegular ? found.size : 0;
    // Also of an older file: the process that created it may have been killed before the name was durable.
    this.#isNew = this.#isRegular;
    if (!this.#isRegular) return;
    await handle.chmod(0o600);
    // A kill may have left an incomplete line: end it before the next one.
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, found.size - 1));
    if (found.size > 0 && buffer[0] !== 0x0a) this.#pending = Buffer.concat([Buffer.from('\n'), this.#pending]);
  }

  write(line: string): void {
    if (this.#queuedBytes + line.length > this.#options.maxQueuedBytes) {
      this.#health = { ...this.#health, lost: this.#health.lost + 1 };
    } else {
      this.#queue.push(line);
      this.#queuedBytes += line.length;
    }
    // Also for a lost line: otherwise a full queue would never be written.
    this.#writing ??= this.#drain();
  }

  flush(): Promise<void> {
    if (this.#writing === undefined || this.#hangs) return Promise.resolve();
    this.#nextAttempt ??= new WriteAttempt(this.#options.timer, () => this.#exceedLimit());
    return this.#nextAttempt.ended;
  }

  health(): AuditHealth {
    return this.#health;
  }

  async close(): Promise<void> {
    await this.#writing;
    if (this.#queue.length > 0 || this.#pending.length > 0) await this.#drain();
    const unwritten = this.#queue.length + (this.#pending.length > 0 ? 1 : 0);
    if (unwritten > 0)
      this.#options.log.error({ path: this.#options.path, lines: unwritten }, 'audit lines were not written');
    await this.#sync();
    await this.#handle?.close();
  }

  async #drain(): Promise<void> {
    try {
      while (this.#pending.length > 0 || this.#queue.length > 0) {
        // For one turn if requests wait: the lines of a batch of changes arrive in the same one.
        await waitWhileGrowing(() => (this.#nextAttempt ? 0 : this.#queue.length));
        if (this.#pending.length === 0) this.#swapBuffers();
        await this.#rotateIfDue();
        await this.#writePending();
        this.#endAttempt();
      }
      this.#recovered();
    } catch (error) {
      this.#failed(error);
    } finally {
      // The lines that failed or were not tried are written with the next one.
      this.#endAttempts();
      this.#writing = undefined;
    }
  }

  #endAttempt(): void {
    this.#hangs = false;
    this.#attempt?.end();
    this.#attempt = undefined;
  }

  #endAttempts(): void {
    this.#endAttempt();
    this.#nextAttempt?.end();
    this.#nextAttempt = undefined;
  }

  /** Releases the requests that wait, and lets none wait until the write ends. */
  #exceedLimit(): void {
    this.#endAttempts();
    this.#hangs = true;
    this.#failed(new Error(`a write takes longer than ${writeLimitMs} ms`));
  }

  #swapBuffers(): void {
    this.#pending = Buffer.from(this.#queue.join(''));
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#attempt = this.#nextAttempt;
    this.#nextAttempt = undefined;
  }

  /** Writes pending bytes; bytes written before a failure are not written again. */
  async #writePending(): Promise<void> {
    while (this.#pending.length > 0) {
      if (!this.#handle) await this.open();
      const { bytesWritten = 0 } = (await this.#handle?.write(this.#pending)) ?? {};
      this.#pending = this.#pending.subarray(bytesWritten);
      this.#size += bytesWritten;
      this.#isPartial = this.#pending.length > 0;
    }
    this.#cancelSync ??= this.#options.timer.after(syncDelayMs, () => void this.#sync());
  }

  /** Makes what is written durable, and the name of a new file. Writes continue meanwhile. */
  async #sync(): Promise<void> {
    this.#cancelSync?.();
    this.#cancelSync = undefined;
    const handle = this.#handle;
    if (!handle || !this.#isRegular) return;
    const isNew = this.#isNew;
    this.#isNew = false;
    try {
      await handle.datasync();
      if (isNew) await nodeDisk.syncFolder(path.dirname(this.#options.path));
    } catch (error) {
      this.#isNew ||= isNew;
      this.#failed(error);
    }
  }

  async #rotateIfDue(): Promise<void> {
    const { path: name, maxFiles, rotateBytes: limit } = this.#options;
    if (!this.#isRegular || this.#isPartial || this.#size === 0 || this.#size + this.#pending.length <= limit) return;
    await this.#sync();
    await this.#handle?.close();
    this.#handle = undefined;
    for (let number = await findFreeNumber(name, maxFiles); number > 0; number -= 1)
      await rename(number === 1 ? name : `${name}.${number - 1}`, `${name}.${number}`).catch(ignoreMissing);
    // Also if it cannot be opened now: the rotation must not be repeated.
    this.#size = 0;
    await this.open();
  }

  #failed(error: unknown): void {
    if (this.#health.writable)
      this.#options.log.error({ path: this.#options.path, error: String(error) }, 'cannot write the audit log');
    this.#health = { ...this.#health, writable: false };
  }

  #recovered(): void {
    if (this.#health.writable) return;
    this.#health = { ...this.#health, writable: true };
    const { lost } = this.#health;
    this.#options.log.warn({ path: this.#options.path, lost }, 'the audit log is writable again');
  }
}

/** The lowest free one, where an interrupted rotation left off; the oldest file is replaced if none is free. */
async function findFreeNumber(name: string, maxFiles: number): Promise<number> {
  for (let number = 1; number < maxFiles; number += 1) {
    const isTaken = await stat(`${name}.${number}`).then(() => true, ignoreMissing);
    if (!isTaken) return number;
  }
  return maxFiles;
}

/** @throws any other error than that of a missing file */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
