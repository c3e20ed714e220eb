/**
 * An audit log in a file. Lines gather while others are written, so no call waits for the disk. At a size the file is
 * renamed and a new one begun; the oldest goes. What could not be written is tried again with the next line.
 */
import { type FileHandle, open, rename } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { AuditHealth, AuditSink } from './audit.ts';

export interface AuditFileOptions {
  readonly path: string;
  readonly log: Log;
  /** The size at which a new file is begun. */
  readonly rotateBytes?: number;
  /** Files of before that are kept: audit.log.1 is the newest of them. */
  readonly maxFiles?: number;
  /** So many bytes wait for a disk that takes none, and no more. */
  readonly maxQueuedBytes?: number;
}

export const defaultRotateBytes = 64 * 1024 * 1024;
export const defaultMaxFiles = 5;
const defaultMaxQueuedBytes = 4 * 1024 * 1024;
/** Turns of the event loop for which lines wait for others that keep coming. */
const maxGatherTurns = 16;

/** Opens the file, or makes it, for its owner alone. @throws what the system says. */
export async function openAuditFile(options: AuditFileOptions): Promise<AuditSink> {
  const file = new AuditFile(options);
  await file.open();
  return file;
}

class AuditFile implements AuditSink {
  readonly #options: Required<AuditFileOptions>;
  #handle: FileHandle | undefined;
  #size = 0;
  /** A device or a pipe is not renamed. */
  #isRegular = false;
  #queue: string[] = [];
  #queuedBytes = 0;
  /** What is being written; after a failure, what is still to be. */
  #pending: Buffer = Buffer.alloc(0);
  #writing: Promise<void> | undefined;
  #health: AuditHealth = { writable: true, lost: 0 };

  constructor(options: AuditFileOptions) {
    this.#options = {
      rotateBytes: defaultRotateBytes,
      maxFiles: defaultMaxFiles,
      maxQueuedBytes: defaultMaxQueuedBytes,
      ...options,
    };
  }

  async open(): Promise<void> {
    const handle = await open(this.#options.path, 'a+', 0o600);
    try {
      await this.#begin(handle);
      this.#handle = handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #begin(handle: FileHandle): Promise<void> {
    const stat = await handle.stat();
    this.#isRegular = stat.isFile();
    this.#size = this.#isRegular ? stat.size : 0;
    if (!this.#isRegular) return;
    await handle.chmod(0o600);
    // A kill may have left half a line: what comes next must not become its end.
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, stat.size - 1));
    if (stat.size > 0 && buffer[0] !== 0x0a) this.#pending = Buffer.concat([Buffer.from('\n'), this.#pending]);
  }

  write(line: string): void {
    if (this.#queuedBytes + line.length > this.#options.maxQueuedBytes) {
      this.#health = { ...this.#health, lost: this.#health.lost + 1 };
      return;
    }
    this.#queue.push(line);
    this.#queuedBytes += line.length;
    this.#writing ??= this.#drain();
  }

  health(): AuditHealth {
    return this.#health;
  }

  async close(): Promise<void> {
    await this.#writing;
    if (this.#queue.length > 0 || this.#pending.length > 0) await this.#drain();
    const left = this.#queue.length + (this.#pending.length > 0 ? 1 : 0);
    if (left > 0) this.#options.log.error({ path: this.#options.path, lines: left }, 'audit lines were not written');
    if (this.#isRegular) await this.#handle?.sync().catch(() => undefined);
    await this.#handle?.close();
  }

  async #drain(): Promise<void> {
    try {
      while (this.#pending.length > 0 || this.#queue.length > 0) {
        await this.#gather();
        if (this.#pending.length === 0) this.#swapBuffers();
        await this.#rotateIfDue();
        await this.#writePending();
      }
      this.#recovered();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#writing = undefined;
    }
  }

  /** What is answered in this turn goes out in one piece, and with it what comes in those right after it. */
  async #gather(): Promise<void> {
    for (let turn = 0, before = 0; turn < maxGatherTurns && this.#queue.length !== before; turn += 1) {
      before = this.#queue.length;
      await setImmediate();
    }
  }

  #swapBuffers(): void {
    this.#pending = Buffer.from(this.#queue.join(''));
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  /** What was written before a failure is not written again. */
  async #writePending(): Promise<void> {
    while (this.#pending.length > 0) {
      if (!this.#handle) await this.open();
      const { bytesWritten = 0 } = (await this.#handle?.write(this.#pending)) ?? {};
      this.#pending = this.#pending.subarray(bytesWritten);
      this.#size += bytesWritten;
    }
  }

  async #rotateIfDue(): Promise<void> {
    const { path, maxFiles, rotateBytes: limit } = this.#options;
    if (!this.#isRegular || this.#size === 0 || this.#size + this.#pending.length <= limit) return;
    await this.#handle?.close();
    this.#handle = undefined;
    for (let number = maxFiles; number > 0; number -= 1)
      await rename(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`).catch(ignoreMissing);
    await this.open();
  }

  #failed(error: unknown): void {
    if (this.#health.writable)
      this.#options.log.error({ path: this.#options.path, error: String(error) }, 'the audit log can not be written');
    this.#health = { ...this.#health, writable: false };
  }

  #recovered(): void {
    if (this.#health.writable) return;
    this.#health = { ...this.#health, writable: true };
    const { lost } = this.#health;
    this.#options.log.warn({ path: this.#options.path, lost }, 'the audit log is written again');
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
