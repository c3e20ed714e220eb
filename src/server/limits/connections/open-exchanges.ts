/** Which requests of a connection wait for their responses: what is written besides must not overtake those. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface OpenExchanges {
  track(request: IncomingMessage, response: ServerResponse): void;
  /** Calls `work` when each request that has arrived completely has its response; at once if there is none. */
  afterResponses(socket: Socket, work: () => void): void;
}

export function createOpenExchanges(): OpenExchanges {
  // Not sets: V8 links an outgrown table of a set to its successor, and one in old space retains all later requests.
  const open = new WeakMap<Socket, IncomingMessage[]>();
  const waiting = new WeakMap<Socket, () => void>();

  /** A request that has not arrived completely will have no response but the one that waits. */
  const isAnswered = (socket: Socket) => (open.get(socket) ?? []).every(({ complete }) => !complete);

  function finish(socket: Socket, request: IncomingMessage): void {
    const requests = open.get(socket) ?? [];
    const at = requests.indexOf(request);
    if (at >= 0) requests.splice(at, 1);
    const work = waiting.get(socket);
    if (work === undefined || !isAnswered(socket)) return;
    waiting.delete(socket);
    work();
  }

  return {
    track(request, response) {
      const { socket } = request;
      const requests = open.get(socket);
      if (requests === undefined) open.set(socket, [request]);
      else requests.push(request);
      // By then all of the response has been passed to the socket.
      response.once('prefinish', () => finish(socket, request));
    },
    afterResponses(socket, work) {
      if (isAnswered(socket)) work();
      else waiting.set(socket, work);
    },
  };
}
