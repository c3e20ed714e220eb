/** Tracks open connections and their requests in progress, for the connection limit and for a graceful stop. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionShare } from './connection-share.ts';

export interface Connections {
  /**
   * Closes each connection as soon as it has no request in progress: immediately, or after the response.
   * @param whenIdle called once no connection has a request in progress
   */
  closeWhenIdle(whenIdle: () => void): void;
  closeAll(): void;
}

export interface ConnectionTrackerOptions {
  readonly maxConnections: number;
  /** The network of a connection; undefined for a trusted proxy. */
  networkOf(remoteAddress: string | undefined): string | undefined;
}

/** All sockets of one connection: with TLS, the raw socket and the TLS socket. */
interface Connection {
  readonly name: string;
  readonly sockets: Set<Socket>;
  activeRequests: number;
  /** The most recent request. */
  request: IncomingMessage | undefined;
}

/**
 * Node's `closeIdleConnections` runs once, skips connections without a request yet and ignores TLS handshakes in
 * progress; Node's `maxConnections` lets one source use all connections.
 */
export function trackConnections(server: Server, { maxConnections, networkOf }: ConnectionTrackerOptions): Connections {
  const connections = new Map<string, Connection>();
  /** Index by socket: faster than by name. */
  const bySocket = new WeakMap<Socket, Connection>();
  const share = new ConnectionShare<Connection>({
    maxConnections,
    hasArrived: ({ request }) => request?.complete === true,
  });
  let activeRequests = 0;
  let whenIdle: (() => void) | undefined;

  function addSocket(connection: Connection, socket: Socket): void {
    connection.sockets.add(socket);
    bySocket.set(socket, connection);
    socket.once('close', () => {
      connection.sockets.delete(socket);
      if (connection.sockets.size > 0) return;
      share.remove(connection);
      removeConnection(connection);
    });
  }

  /** The name may already belong to a new connection. */
  function removeConnection(connection: Connection): void {
    if (connections.get(connection.name) === connection) connections.delete(connection.name);
  }

  function add(socket: Socket): void {
    const connection: Connection = {
      name: formatName(socket),
      sockets: new Set(),
      activeRequests: 0,
      request: undefined,
    };
    connections.set(connection.name, connection);
    addSocket(connection, socket);
    const surplus = share.add(connection, networkOf(socket.remoteAddress));
    if (surplus) {
      removeConnection(surplus);
      destroyConnection(surplus);
    }
  }

  server.on('connection', add);
  server.on('secureConnection', (socket: Socket) => {
    const raw = connections.get(formatName(socket));
    if (raw) addSocket(raw, socket);
    else socket.destroy();
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = bySocket.get(request.socket);
    if (!connection) return;
    activeRequests += 1;
    connection.activeRequests += 1;
    connection.request = request;
    if (connection.activeRequests === 1) share.setPhase(connection, 'busy');
    response.once('close', () => {
      activeRequests -= 1;
      if (activeRequests === 0) whenIdle?.();
      connection.activeRequests -= 1;
      if (connection.activeRequests > 0) return;
      share.setPhase(connection, 'idle');
      if (whenIdle) destroyConnection(connection);
    });
  });
  return {
    closeWhenIdle(call) {
      whenIdle = call;
      if (activeRequests === 0) call();
      for (const connection of connections.values()) if (connection.activeRequests === 0) destroyConnection(connection);
    },
    closeAll() {
      for (const connection of connections.values()) destroyConnection(connection);
    },
  };
}

function formatName({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function destroyConnection({ sockets }: Connection): void {
  for (const socket of sockets) socket.destroy();
}
