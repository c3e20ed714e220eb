/** Creates the node:http server around the app: limits on requests, and the common error format for what Node rejects. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { ServerOptions as HttpsServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { errorTable } from '../../contract/error-codes.ts';
import { apiError, type IamError, type PlainErrorCode } from '../../contract/errors.ts';
import { clearTimeout, setTimeout } from '../../lib/host.ts';
import type { Settings } from '../config/settings.ts';
import { createConnectionLimits } from '../limits/connections/connection-limits.ts';
import { createOpenExchanges } from '../limits/connections/open-exchanges.ts';
import { toOriginForm } from './paths.ts';

/** Bytes of a request line and headers besides the token. */
const otherHeadersSize = 8 * 1024;
const headersTimeoutMs = 10_000;
const keepAliveTimeoutMs = 65_000;

/** Certificate and key, in PEM. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface NodeServerOptions {
  /** Seconds within which a request must arrive completely. */
  readonly requestTimeout: number;
  /** Bytes. */
  readonly maxToken: number;
  readonly tls?: TlsFiles | undefined;
  readonly loginCertificates?: Settings['loginCertificates'];
  newRequestId(): string;
}

/** Creates a server that does not listen yet. */
export async function createNodeServer(options: NodeServerOptions, listener: RequestListener): Promise<Server> {
  const requestTimeout = options.requestTimeout * 1000;
  const settings: HttpsServerOptions = {
    maxHeaderSize: options.maxToken + otherHeadersSize,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeout),
    requestTimeout,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, requestTimeout),
    // The app checks Host: Node's response would have no body.
    requireHostHeader: false,
    // Verified at a login: most clients have none.
    ...(options.loginCertificates === 'tls' ? { requestCert: true, rejectUnauthorized: false } : {}),
  };
  const limits = createConnectionLimits();
  const exchanges = createOpenExchanges();
  const handle = limits.limitPipelining((request, response) => {
    exchanges.track(request, response);
    request.url = toOriginForm(request.url ?? '/');
    listener(request, response);
  });
  const server = options.tls ? await createTlsServer(settings, options.tls, handle) : createServer(settings, handle);
  limits.closeStalled(server, requestTimeout);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    exchanges.afterResponses(socket, () => rejectMalformed(error, socket, options.newRequestId())),
  );
  server.on('connect', (_request: IncomingMessage, socket: Socket) =>
    exchanges.afterResponses(socket, () =>
      writeRawResponse(socket, 'METHOD_NOT_ALLOWED', {
        'X-Request-Id': options.newRequestId(),
        Allow: 'GET, HEAD, OPTIONS',
      }),
    ),
  );
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    rejectRequest(response, apiError('EXPECTATION_FAILED'), options.newRequestId()),
  );
  return server;
}

/** Loads TLS only when it is used. */
async function createTlsServer(settings: HttpsServerOptions, tls: TlsFiles, handle: RequestListener): Promise<Server> {
  const { createServer: create } = await import('node:https');
  return create({ ...settings, ...tls, handshakeTimeout: settings.headersTimeout }, handle);
}

const codes: Readonly<Record<string, PlainErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Rejects a request that Node cannot parse, and closes the connection: nothing after it can be trusted. */
function rejectMalformed(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  writeRawResponse(socket, codes[error.code ?? ''] ?? 'REQUEST_MALFORMED', { 'X-Request-Id': requestId });
}

/** How long the client has to read the rejection before the connection is destroyed. */
const lingerMs = 1000;

/**
 * Writes a complete response to a connection that Node no longer manages, and closes it. Reads what still arrives:
 * closing with unread bytes resets the connection, and the client would lose the response.
 */
function writeRawResponse(socket: Socket, code: PlainErrorCode, headers: Readonly<Record<string, string>>): void {
  const body = JSON.stringify(apiError(code).items);
  const { status } = errorTable[code];
  const all = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.on('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

/** Responds to a request that does not reach the app, and closes the connection. */
export function rejectRequest(response: ServerResponse, error: IamError, requestId: string): void {
  response.writeHead(errorTable[error.code].status, {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
    'X-Request-Id': requestId,
    ...error.headers,
  });
  response.end(JSON.stringify(error.items));
}
