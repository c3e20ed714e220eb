import { fstatSync, statSync, writeSync } from 'node:fs';

/**
 * Writes to a file or a pipe without a stream, which takes milliseconds to open. @returns what is left for the stream to
 * write: all of it for a terminal or where nobody can tell what it is, the rest where a pipe takes no more just now.
 */
export function writeImmediately(descriptor: number, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (!isNonTerminal(descriptor)) return bytes;
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(descriptor, bytes, at);
  } catch {
    // The stream meets the same failure, and tells it as ever.
  }
  return bytes.subarray(at);
}

/** Whether it is a file, a pipe, a socket or nothing, and so no terminal. */
export function isNonTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isCharacterDevice()) return stats.rdev === statSync('/dev/null').rdev;
    return stats.isFile() || stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
