import { fstatSync, statSync, writeSync } from 'node:fs';

/**
 * Writes to a file or a pipe without a stream, which takes milliseconds to open. @returns the rest for the stream:
 * everything for a terminal or an unknown descriptor, the remainder if a pipe is full.
 */
export function writeImmediately(descriptor: number, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (!isNonTerminal(descriptor)) return bytes;
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(descriptor, bytes, at);
  } catch {
    // The stream gets and reports the same error.
  }
  return bytes.subarray(at);
}

/** Whether a descriptor is a file, pipe, socket or closed, and not a terminal. */
export function isNonTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isCharacterDevice()) return stats.rdev === statSync('/dev/null').rdev;
    return stats.isFile() || stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
