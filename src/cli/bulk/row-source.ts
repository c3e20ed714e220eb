/** The input file of a run. It is read several times: to validate the rows, to list some of them, and to send them. */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rmdir, unlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { maxRowBytes, openTextStream, TextFileError, TextReader } from '../../lib/text-file.ts';
import { usageError } from '../errors.ts';
import { isFileError, uncreatableFileError, unreadableFileError } from '../io/file-errors.ts';
import { nameOfInput } from '../io/input.ts';
import type { Io } from '../io/io.ts';

export interface RowSource {
  /** Command-line argument. */
  readonly argument: string;
  readonly digest: string;
  /** Reads the file from its start. */
  read(): AsyncIterable<Buffer>;
}

/**
 * Runs `work` on a private copy of the file or of standard input: what was shown and confirmed is sent, also if others
 * change the file meanwhile.
 */
export async function withRowSource<Result>(
  { stdin, signal }: Pick<Io, 'stdin' | 'signal'>,
  argument: string,
  work: (source: RowSource) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-bulk-')).catch((error: unknown) => {
    const { message } = uncreatableFileError(os.tmpdir(), error);
    throw usageError(message, 'Set TMPDIR to a folder that you can write: a private copy of the rows is sent.');
  });
  const file = path.join(folder, 'rows');
  let isRemoved = false;
  // Never what is in it, and never again: once it is removed, another user can create a folder of this name.
  const removeFolder = async () => {
    if (isRemoved) return;
    await unlink(file);
    await rmdir(folder);
    isRemoved = true;
  };
  try {
    const copy = await open(file, 'wx+', 0o600);
    try {
      // The open file needs no name: nothing can replace it, and it ends with the process. Windows may keep the name.
      await removeFolder().catch(() => undefined);
      const digest = await copyRows(stdin, copy, { argument, folder, signal });
      return await work({ argument, digest, read: () => readFrom(copy) });
    } finally {
      await copy.close();
    }
  } finally {
    await removeFolder().catch(() => undefined);
  }
}

interface CopyOptions extends Pick<Io, 'signal'> {
  readonly argument: string;
  readonly folder: string;
}

/** Copies text of limited length only. @returns the SHA-256 of the rows @throws CliError (exit 2) */
async function copyRows(stdin: Readable, copy: FileHandle, { argument, folder, signal }: CopyOptions): Promise<string> {
  const hash = createHash('sha256');
  const reader = new TextReader(maxRowBytes);
  const write = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      reader.decode(Buffer.from(chunk));
      hash.update(chunk);
      await copy.writeFile(chunk);
    }
    reader.end();
  };
  try {
    await pipeline(argument === '-' ? stdin : await openTextStream(argument, maxRowBytes), write, { signal });
  } catch (error) {
    if (error instanceof TextFileError) throw unreadableFileError(nameOfInput(argument), error);
    if (!isFileError(error)) throw error;
    throw error.syscall === 'write' ? uncreatableFileError(folder, error) : unreadableFileError(argument, error);
  }
  return hash.digest('hex');
}

const chunkBytes = 64 * 1024;

async function* readFrom(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
