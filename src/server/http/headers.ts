/** Reads raw request headers, where Node's parsed headers hide duplicates. */
import type { IncomingMessage } from 'node:http';

/** Counts the occurrences of a header (`name` in lower case). Node's `headersDistinct` parses all headers. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? '';
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}
