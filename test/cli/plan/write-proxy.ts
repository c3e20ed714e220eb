/** A proxy that intercepts one write: breaks the connection, or runs another write first. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WriteProxy extends AsyncDisposable {
  readonly url: string;
  /** Number of writes, including the broken one. */
  readonly writes: number;
  /** Resets the counter and breaks the write with this number. */
  breakNext(number: number): void;
}

/** Breaks the connection at the nth write: before it arrives, or after it was applied and before its response. */
export function startBreakingProxy(url: string, broken: number, when: 'before' | 'after'): Promise<WriteProxy> {
  return startProxy(url, broken, when);
}

/** Runs `work` before the nth write is forwarded. */
export function startInterposingProxy(url: string, number: number, work: () => Promise<unknown>): Promise<WriteProxy> {
  return startProxy(url, number, work);
}

/** Applies every write and loses its answer. */
export function startLosingProxy(url: string): Promise<WriteProxy> {
  return startProxy(url, 'all', 'after');
}

/** Requests with a body that change nothing that a caller has to know about. */
const harmless =
  /\/(login|_iam\/names|tokens\/inspect|revoke|store\/backup|leverage-mfa|fulfill-mfa|generate-token)([?]|$)/;

async function startProxy(
  url: string,
  broken: number | 'all',
  when: 'before' | 'after' | (() => Promise<unknown>),
): Promise<WriteProxy> {
  let writes = 0;
  let number = broken;
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const { host: _, connection: _c, 'content-length': _l, ...headers } = request.headers;
    const isWrite = request.method !== 'GET' && !harmless.test(request.url ?? '');
    if (isWrite) writes += 1;
    const isBroken = isWrite && (number === 'all' || writes === number);
    if (isBroken && when === 'before') return void response.destroy();
    if (isBroken && typeof when === 'function') await when();
    const { method = 'GET' } = request;
    const received = await fetch(url + request.url, {
      method,
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    });
    if (isBroken && when === 'after') return void response.destroy();
    const forwarded = Object.fromEntries(
      [...received.headers].filter(([name]) => !/^(connection|keep-alive|transfer-encoding)$/.test(name)),
    );
    response.writeHead(received.status, forwarded);
    response.end(Buffer.from(await received.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get writes() {
      return writes;
    },
    breakNext: (next) => {
      [writes, number] = [0, next];
    },
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
