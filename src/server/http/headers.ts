/** Looking at request headers as they came, where what Node makes of them hides something. */
import type { IncomingMessage } from 'node:http';

/** How often a header stands in a request. Only this one is looked for: Node's own `headersDistinct` sorts them all. */
export function timesGiven({ rawHeaders }: IncomingMessage, name: string): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) times += 1;
  }
  return times;
}
