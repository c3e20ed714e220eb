/** Creates and reads the log file of a background server: private, rotated to `.old` at every start. */
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';

/** Creates a new log file and renames the previous one. */
export async function createLogFile(file: string): Promise<FileHandle> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await rename(file, `${file}.old`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return open(file, 'wx', 0o600);
}

export function lastLines(text: string, count: number): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  return count === 0 || text === '' ? [] : lines.slice(-count);
}

/** Returns the content of a log after `offset` (bytes); empty if the file does not exist. */
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
