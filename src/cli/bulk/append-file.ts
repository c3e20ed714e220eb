/** A private file that only grows: what was appended is on the disk when that is told. */
import { type FileHandle, open } from 'node:fs/promises';

export class AppendFile {
  readonly #handle: FileHandle;
  #lines: string[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Opens or makes a file that only its owner reads; `x` refuses one that is there. */
  static async open(file: string, flags: 'a' | 'ax'): Promise<AppendFile> {
    return new AppendFile(await open(file, flags, 0o600));
  }

  /** Whatever is appended while the disk is busy is flushed together. A failure is told to all that come after. */
  append(text: string): Promise<void> {
    this.#lines.push(text);
    if (!this.#next) {
      this.#next = this.#last.then(() => this.#write());
      this.#last = this.#next;
    }
    return this.#next;
  }

  /** Nobody else can read it; where files have no such modes that is left to the folder. */
  async isPrivate(): Promise<boolean> {
    return process.platform === 'win32' || ((await this.#handle.stat()).mode & 0o077) === 0;
  }

  /** Writes what is left, and closes. */
  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#handle.close();
  }

  async #write(): Promise<void> {
    const text = this.#lines.join('');
    [this.#lines, this.#next] = [[], undefined];
    await this.#handle.appendFile(text, 'utf8');
    await this.#handle.datasync();
  }
}
