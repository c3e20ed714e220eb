/** Aborts when the client disconnects. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Aborts once the response was sent, or the connection has ended before. */
export function createDisconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const { socket } = response.req;
  if (response.destroyed || socket.destroyed) {
    controller.abort();
    return controller.signal;
  }
  // Node ties a response to its connection only once those before it are out, and else emits nothing for it.
  const controllers = response.socket === null ? trackPipelined(socket) : undefined;
  controllers?.add(controller);
  response.once('close', () => {
    controllers?.delete(controller);
    controller.abort();
  });
  return controller.signal;
}

/** One listener for a connection, however many requests are sent ahead on it. */
const pipelined = new WeakMap<Socket, Set<AbortController>>();

function trackPipelined(socket: Socket): Set<AbortController> {
  const known = pipelined.get(socket);
  if (known) return known;
  const controllers = new Set<AbortController>();
  pipelined.set(socket, controllers);
  socket.once('close', () => {
    for (const controller of controllers) controller.abort();
  });
  return controllers;
}
