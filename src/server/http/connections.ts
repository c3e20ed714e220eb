/** Which connections are open, and which of them have a request under way: what the limit on them and a clean stop need. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionShare } from './connection-share.ts';

export interface Connections {
  /** Ends each connection as soon as no call is under way on it: at once, or with the answer. */
  endWhenIdle(): void;
  endNow(): void;
}

export interface ConnectionOptions {
  readonly maxConnections: number;
  /** The network that holds a connection; undefined for a trusted proxy. */
  holderOf(remoteAddress: string | undefined): string | undefined;
}

/** All sockets to one other side: under TLS the raw one and the one in it. */
interface Connection {
  readonly name: string;
  readonly sockets: Set<Socket>;
  calls: number;
  /** The last one that began. */
  request: IncomingMessage | undefined;
}

/**
 * Node's own `closeIdleConnections` looks once, passes over those that have not asked anything yet, and knows nothing
 * of a TLS handshake that goes on; its `maxConnections` lets one source hold all of them.
 */
export function trackConnections(server: Server, { maxConnections, holderOf }: ConnectionOptions): Connections {
  const connections = new Map<string, Connection>();
  /** The same by socket, which is quicker to look up than to name. */
  const bySocket = new WeakMap<Socket, Connection>();
  const share = new ConnectionShare<Connection>({
    most: maxConnections,
    hasArrived: ({ request }) => request?.complete === true,
  });
  let ending = false;

  function join(connection: Connection, socket: Socket): void {
    connection.sockets.add(socket);
    bySocket.set(socket, connection);
    socket.once('close', () => {
      connection.sockets.delete(socket);
      if (connection.sockets.size > 0) return;
      share.remove(connection);
      forget(connection);
    });
  }

  /** Its name may be that of a new connection already. */
  function forget(connection: Connection): void {
    if (connections.get(connection.name) === connection) connections.delete(connection.name);
  }

  function add(socket: Socket): void {
    const connection: Connection = { name: nameOf(socket), sockets: new Set(), calls: 0, request: undefined };
    connections.set(connection.name, connection);
    join(connection, socket);
    const surplus = share.add(connection, holderOf(socket.remoteAddress));
    if (surplus) {
      forget(surplus);
      end(surplus);
    }
  }

  server.on('connection', add);
  server.on('secureConnection', (socket: Socket) => {
    const raw = connections.get(nameOf(socket));
    if (raw) join(raw, socket);
    else socket.destroy();
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = bySocket.get(request.socket);
    if (!connection) return;
    connection.calls += 1;
    connection.request = request;
    if (connection.calls === 1) share.move(connection, 'busy');
    response.once('close', () => {
      connection.calls -= 1;
      if (connection.calls > 0) return;
      share.move(connection, 'idle');
      if (ending) end(connection);
    });
  });
  return {
    endWhenIdle() {
      ending = true;
      for (const connection of connections.values()) if (connection.calls === 0) end(connection);
    },
    endNow() {
      for (const connection of connections.values()) end(connection);
    },
  };
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function end({ sockets }: Connection): void {
  for (const socket of sockets) socket.destroy();
}
