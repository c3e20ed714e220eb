/** Aborts when the client disconnects. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Aborts once the response was sent, or the connection has ended before. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const { socket } = response.req;
  if (response.destroyed || socket.destroyed) {
    gone.abort();
    return gone.signal;
  }
  // Node ties a response to its connection only once those before it are out, and else emits nothing for it.
  const behind = response.socket === null ? behindOthers(socket) : undefined;
  behind?.add(gone);
  response.once('close', () => {
    behind?.delete(gone);
    gone.abort();
  });
  return gone.signal;
}

/** One listener for a connection, however many requests are sent ahead on it. */
const waiting = new WeakMap<Socket, Set<AbortController>>();

function behindOthers(socket: Socket): Set<AbortController> {
  const known = waiting.get(socket);
  if (known) return known;
  const controllers = new Set<AbortController>();
  waiting.set(socket, controllers);
  socket.once('close', () => {
    for (const gone of controllers) gone.abort();
  });
  return controllers;
}
