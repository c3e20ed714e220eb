/**
 * Closes connections that exceed their limits: clients that do not read their responses, or that pipeline too many
 * requests. Node has no such limits and buffers all pending requests and responses.
 */
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from '../../../lib/host.ts';
import { limits } from '../table.ts';

export interface ConnectionLimits {
  /** Wraps the listener; closes connections that pipeline more requests than allowed. */
  limitPipelining(listener: RequestListener): RequestListener;
  /** Closes connections whose client has read nothing of a response for `stalledMs` milliseconds. */
  closeStalled(server: Server, stalledMs: number): void;
}

/** Reads nothing from a client that does not read its responses: what it sends would count as activity. */
function pauseUntilRead(socket: Socket): void {
  if (socket.writableLength === 0 || !socket.writableNeedDrain || socket.isPaused()) return;
  socket.pause();
  resumeOnceRead(socket);
}

/** Resumes in a later turn: a pause in the same one would have no effect, as Node resumes asynchronously. */
function resumeOnceRead(socket: Socket): void {
  if (socket.writableNeedDrain) socket.once('drain', () => setImmediate(resumeOnceRead, socket));
  else socket.resume();
}

export function createConnectionLimits(): ConnectionLimits {
  const waiting = new WeakMap<Socket, number>();

  /** Counts the request; returns false if the connection already has the maximum waiting. */
  function admit(socket: Socket, response: ServerResponse): boolean {
    const before = waiting.get(socket) ?? 0;
    waiting.set(socket, before + 1);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    return before < limits.pipelinedRequests.max;
  }

  return {
    limitPipelining: (listener) => (request, response) => {
      const { socket } = request;
      // The request arrived in the same chunk as the one that exceeded the limit.
      if (socket.destroyed) return;
      // Only a response that waits for an earlier one has no socket yet; the others are not counted.
      if (response.socket === null && !admit(socket, response)) return void socket.destroy();
      response.once('prefinish', () => pauseUntilRead(socket));
      listener(request, response);
    },
    closeStalled(server, stalledMs) {
      // A distinct value identifies this timeout: after a response Node sets the keep-alive timeout on the socket.
      server.timeout = stalledMs + 1;
      // With a listener Node closes no socket on timeout, so idle keep-alive connections are closed here too. A
      // connection with a request in progress stays open; one without a request yet has its own timeout.
      server.on('timeout', (socket) => {
        if (socket.writableLength > 0 || socket.timeout !== server.timeout) socket.destroy();
      });
    },
  };
}
