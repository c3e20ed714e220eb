/** Append-only private file. Appends are durable (fdatasync) when their promise resolves. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { usageError } from '../errors.ts';
import { unwritableFileError } from './file-errors.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

const openFlags = {
  // A pipe that another user prepared would wait for a writer.
  r: O_RDONLY | (O_NONBLOCK ?? 0),
  a: O_APPEND | O_CREAT | O_WRONLY,
  ax: O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
};

/**
 * Opens a file itself: another user can prepare a symbolic link in a shared folder. `a` and `ax` create it with owner-only
 * permissions; `ax` rejects an existing file. @throws CliError (exit 2) for a symbolic link
 */
export async function openNoFollow(file: string, flags: keyof typeof openFlags): Promise<FileHandle> {
  try {
    // Windows has no such flag.
    return await open(file, openFlags[flags] | (O_NOFOLLOW ?? 0), 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw usageError(`${file} is a symbolic link.`, 'Name the file itself.');
  }
}

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

  static async open(file: string, flags: 'a' | 'ax'): Promise<AppendFile> {
    return new AppendFile(await openNoFollow(file, flags), file);
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
