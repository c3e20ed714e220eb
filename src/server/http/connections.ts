/** Which connections are open, and which of them have a call under way: what a clean stop has to know. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** Ends each connection as soon as no call is under way on it: at once, or with the answer. */
  endWhenIdle(): void;
  endNow(): void;
}

/** All sockets to one other side: under TLS the raw one and the one in it. */
interface Connection {
  readonly sockets: Set<Socket>;
  calls: number;
}

/**
 * Node's own `closeIdleConnections` looks once, passes over those that have not asked anything yet, and knows nothing
 * of a TLS handshake that goes on.
 */
export function trackConnections(server: Server): Connections {
  const connections = new Map<string, Connection>();
  /** The same by socket, which is quicker to look up than to name. */
  const bySocket = new WeakMap<Socket, Connection>();
  let ending = false;

  function connectionOf(socket: Socket): Connection {
    const known = bySocket.get(socket);
    if (known) return known;
    const name = `${socket.remoteAddress} ${socket.remotePort}`;
    const connection = connections.get(name) ?? { sockets: new Set(), calls: 0 };
    connections.set(name, connection);
    bySocket.set(socket, connection);
    return connection;
  }

  function add(socket: Socket): void {
    const name = `${socket.remoteAddress} ${socket.remotePort}`;
    const connection = connectionOf(socket);
    connection.sockets.add(socket);
    socket.once('close', () => {
      connection.sockets.delete(socket);
      if (connection.sockets.size === 0 && connections.get(name) === connection) connections.delete(name);
    });
  }

  function endIfIdle({ sockets, calls }: Connection): void {
    if (calls === 0) for (const socket of sockets) socket.destroy();
  }

  server.on('connection', add);
  server.on('secureConnection', add);
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(socket);
    connection.calls += 1;
    response.once('close', () => {
      connection.calls -= 1;
      if (ending) endIfIdle(connection);
    });
  });
  return {
    endWhenIdle() {
      ending = true;
      for (const connection of connections.values()) endIfIdle(connection);
    },
    endNow() {
      for (const { sockets } of connections.values()) for (const socket of sockets) socket.destroy();
    },
  };
}
