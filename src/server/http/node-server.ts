/** The node:http server around the app: limits on everything that comes in, and the one error shape for what Node refuses. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { type ErrorCode, errorTable, fault } from '../../contract/errors.ts';

const longestHeaders = 16 * 1024;
const headersTimeoutMs = 10_000;
const keepAliveTimeoutMs = 65_000;

export interface NodeServerOptions {
  /** Seconds within which a request must have arrived. */
  readonly requestTimeout: number;
  readonly maxConnections: number;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  newRequestId(): string;
}

/** A server that does not listen yet. */
export function createNodeServer(options: NodeServerOptions, listener: RequestListener): Server {
  const requestTimeout = options.requestTimeout * 1000;
  const settings: ServerOptions = {
    maxHeaderSize: longestHeaders,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeout),
    requestTimeout,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, requestTimeout),
    // Node's own answer would have no body; the app checks Host itself.
    requireHostHeader: false,
  };
  const server: Server = options.tls
    ? createTlsServer({ ...settings, ...options.tls }, listener)
    : createServer(settings, listener);
  server.maxConnections = options.maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuseBroken(error, socket, options.newRequestId()),
  );
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuseExpectation(response, options.newRequestId()),
  );
  return server;
}

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Answers what Node's parser could not read, and closes: nothing after it on the connection can be trusted. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = codes[error.code ?? ''] ?? 'REQUEST_MALFORMED';
  const body = JSON.stringify(fault(code).items);
  const { status } = errorTable[code];
  const head = [
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Bad Request'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const reasons: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

function refuseExpectation(response: ServerResponse, requestId: string): void {
  const body = JSON.stringify(fault('EXPECTATION_FAILED').items);
  response.writeHead(errorTable.EXPECTATION_FAILED.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(body);
}
