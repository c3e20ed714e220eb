/**
 * Lets go of connections that take more than is theirs: on which answers are asked for and not read, or ever more is
 * asked before the first answer is out. Node does neither, and keeps all that was asked and answered meanwhile.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Calls that may wait for their turn on one connection. Clients that ask before they are answered send a few. */
const mostUnanswered = 32;

export interface Greedy {
  /** The listener, for whoever asks no more than may be; who asks more is hung up on. */
  within(listener: RequestListener): RequestListener;
  /** Hangs up on whoever has taken nothing of an answer for so many milliseconds. */
  dropStuck(server: Server, stuckMs: number): void;
}

export function createGreedy(): Greedy {
  const unanswered = new WeakMap<Socket, number>();
  const count = (socket: Socket, more: number) => {
    const now = (unanswered.get(socket) ?? 0) + more;
    unanswered.set(socket, now);
    return now;
  };
  return {
    within: (listener) => (request, response) => {
      const { socket } = request;
      if (count(socket, 1) > mostUnanswered) return void socket.destroy();
      response.once('close', () => count(socket, -1));
      listener(request, response);
    },
    dropStuck(server, stuckMs) {
      server.timeout = stuckMs;
      // With a listener Node ends none by itself: those that stayed open after an answer, for another call, are for here
      // as well. One on which a call is under way is left alone, and one that has asked nothing yet has its own time.
      server.on('timeout', (socket) => {
        if (socket.writableLength > 0 || unanswered.get(socket) === 0) socket.destroy();
      });
    },
  };
}
