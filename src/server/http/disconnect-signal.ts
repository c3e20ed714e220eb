/** Aborts when the client disconnects. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Returns a signal that aborts when the response is sent or the connection closes, whichever is first. */
export type DisconnectSignals = (response: ServerResponse) => AbortSignal;

export function createDisconnectSignals(): DisconnectSignals {
  /** Controllers of pipelined requests by socket: one listener per connection, however many requests are pipelined. */
  const pipelined = new WeakMap<Socket, Set<AbortController>>();
  return (response) => {
    const controller = new AbortController();
    const { socket } = response.req;
    if (response.destroyed || socket.destroyed) {
      controller.abort();
      return controller.signal;
    }
    // Node assigns a socket to a pipelined response only after the responses before it, and emits no `close` until then.
    const controllers = response.socket === null ? trackPipelined(pipelined, socket) : undefined;
    controllers?.add(controller);
    response.once('close', () => {
      controllers?.delete(controller);
      controller.abort();
    });
    return controller.signal;
  };
}

function trackPipelined(pipelined: WeakMap<Socket, Set<AbortController>>, socket: Socket): Set<AbortController> {
  const known = pipelined.get(socket);
  if (known) return known;
  const controllers = new Set<AbortController>();
  pipelined.set(socket, controllers);
  socket.once('close', () => {
    for (const controller of controllers) controller.abort();
  });
  return controllers;
}
