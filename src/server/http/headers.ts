/** Looking at request headers as they came, where what Node makes of them hides something. */
import type { IncomingMessage } from 'node:http';

/** How often a header stands in a request. Only this one is looked for: Node's own `headersDistinct` sorts them all. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? '';
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}
