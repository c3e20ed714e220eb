/** Reads the file of a secret. A device or a wrong name must not fill the memory: it is bounded before it is read. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Keys and certificates fit, too. */
const maxBytes = 64 * 1024;

/** @throws Error with a code: of the system, or EFBIG for more than 64 KiB */
export function readSecretFile(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes; length += read)
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (length > maxBytes) throw Object.assign(new Error(`${file} has more than ${maxBytes} bytes`), { code: 'EFBIG' });
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}
