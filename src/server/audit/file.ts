/**
 * Audit log in a file. Lines are queued while others are written, so no request waits for the disk. The file is rotated at
 * a size limit, and the oldest is deleted. Failed writes are retried with the next line.
 */
import { type FileHandle, open, rename } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { AuditHealth, AuditSink } from './audit.ts';

export interface AuditFileOptions {
  readonly path: string;
  readonly log: Log;
  /** Size at which the file is rotated. */
  readonly rotateBytes?: number;
  /** Number of rotated files; audit.log.1 is the newest. */
  readonly maxFiles?: number;
  /** Max bytes queued while the disk is not writable. */
  readonly maxQueuedBytes?: number;
}

const defaultRotateBytes = 64 * 1024 * 1024;
const defaultMaxFiles = 5;
const defaultMaxQueuedBytes = 4 * 1024 * 1024;
/** Max event-loop turns to wait for further lines before a write. */
const maxGatherTurns = 16;

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
  #queue: string[] = [];
  #queuedBytes = 0;
  /** Bytes being written; after a failure, the bytes still to write. */
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
      await this.#prepare(handle);
      this.#handle = handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #prepare(handle: FileHandle): Promise<void> {
    const stat = await handle.stat();
    this.#isRegular = stat.isFile();
    this.#size = this.#isRegular ? stat.size : 0;
    if (!this.#isRegular) return;
    await handle.chmod(0o600);
    // A kill may have left an incomplete line: end it before the next one.
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
    const unwritten = this.#queue.length + (this.#pending.length > 0 ? 1 : 0);
    if (unwritten > 0)
      this.#options.log.error({ path: this.#options.path, lines: unwritten }, 'audit lines were not written');
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

  /** Waits while lines keep arriving in the next turns, to write them at once. */
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

  /** Writes pending bytes; bytes written before a failure are not written again. */
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

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
