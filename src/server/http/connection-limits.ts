/**
 * Lets go of connections that take more than is theirs: on which answers are asked for and not read, or ever more is
 * asked before the first answer is out. Node does neither, and keeps all that was asked and answered meanwhile.
 */
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Calls that may wait for their turn on one connection. Clients that ask before they are answered send a few. */
const maxPipelined = 63;

export interface ConnectionLimits {
  /** The listener, for whoever asks no more than may be; who asks more is hung up on. */
  limitPipelining(listener: RequestListener): RequestListener;
  /** Hangs up on whoever has taken nothing of an answer for so many milliseconds. */
  closeStalled(server: Server, stalledMs: number): void;
}

export function createConnectionLimits(): ConnectionLimits {
  const waiting = new WeakMap<Socket, number>();

  /** Whether one more may wait on this connection. */
  function admit(socket: Socket, response: ServerResponse): boolean {
    const before = waiting.get(socket) ?? 0;
    waiting.set(socket, before + 1);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    return before < maxPipelined;
  }

  return {
    limitPipelining: (listener) => (request, response) => {
      const { socket } = request;
      // What came in one piece with that for which it was hung up on.
      if (socket.destroyed) return;
      // Only an answer that has to wait for another one has no connection yet; most never do, and are not counted.
      if (response.socket === null && !admit(socket, response)) return void socket.destroy();
      listener(request, response);
    },
    closeStalled(server, stalledMs) {
      // No other time-out is like it: after an answer Node sets that of connections which stay open for another call.
      server.timeout = stalledMs + 1;
      // With a listener Node ends none by itself: those that stayed open are for here as well. One on which a call is
      // under way is left alone, and one that has asked nothing yet has its own time.
      server.on('timeout', (socket) => {
        if (socket.writableLength > 0 || socket.timeout !== server.timeout) socket.destroy();
      });
    },
  };
}
