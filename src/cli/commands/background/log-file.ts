/** The log of a server in the background: private, a new one at every start, the one before kept beside it. */
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';

/** Begins a new log. */
export async function createLogFile(file: string): Promise<FileHandle> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await rename(file, `${file}.old`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return open(file, 'wx', 0o600);
}

/** The last lines of a text. */
export function lastLines(text: string, count: number): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  return count === 0 || text === '' ? [] : lines.slice(-count);
}

/** What stands in a log behind `offset`; nothing where there is none. */
export async function readLogFrom(file: string, offset: number): Promise<Buffer> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!handle) return Buffer.alloc(0);
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.max(0, size - offset));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
