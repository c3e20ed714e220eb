/** Whether there is still somebody to answer. */
import type { ServerResponse } from 'node:http';

/** Given once the answer was sent, or the connection has ended before. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}
