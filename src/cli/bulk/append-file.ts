/** Append-only private file. Appends are durable (fdatasync) when their promise resolves. */
import { type FileHandle, open } from 'node:fs/promises';
import { unwritableFileError } from '../io/file-errors.ts';

export class AppendFile {
  readonly #file: string;
  readonly #handle: FileHandle;
  #lines: string[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `file` is the path for error messages. */
  constructor(handle: FileHandle, file: string) {
    this.#file = file;
    this.#handle = handle;
  }

  /** Opens or creates a file with owner-only permissions; `ax` rejects an existing file. */
  static async open(file: string, flags: 'a' | 'ax'): Promise<AppendFile> {
    return new AppendFile(await open(file, flags, 0o600), file);
  }

  /** Group commit: appends during a write are flushed together. A failure rejects all later appends. */
  append(text: string): Promise<void> {
    this.#lines.push(text);
    if (!this.#next) {
      this.#next = this.#last.then(() => this.#write());
      this.#last = this.#next;
    }
    return this.#next;
  }

  /** Whether only this user can read the file. Always true on Windows, which has no file modes. */
  async isPrivate(): Promise<boolean> {
    const { uid, mode } = await this.#handle.stat();
    return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o077) === 0);
  }

  /** Flushes pending appends and closes the file. */
  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#handle.close();
  }

  async #write(): Promise<void> {
    const text = this.#lines.join('');
    [this.#lines, this.#next] = [[], undefined];
    try {
      await this.#handle.appendFile(text, 'utf8');
      await this.#handle.datasync();
    } catch (error) {
      throw unwritableFileError(this.#file, error);
    }
  }
}
