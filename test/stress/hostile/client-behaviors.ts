/** Behaviors of slow and greedy clients: what each sends first, and then repeatedly. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { servicePrefix } from '../../../src/contract/prefix.ts';

export interface ClientBehavior {
  /** Number of clients. */
  readonly clientCount: number;
  first(socket: Socket): void;
  /** Every 100 ms. */
  repeat(socket: Socket): void;
  /** The requests get responses, so the connections may stay; only the effect on other clients is verified. */
  readonly hasResponses?: true;
}

const thousand = 1000;
const login = `POST ${servicePrefix}/client-identities/login HTTP/1.1\r\nHost: localhost\r\n`;
const long = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
const short = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const noop = () => {};

/** Bytes of an endless body: far above the body limit. */
const endlessBytes = 8_000_000;
const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`;
const compressedBody = gzipSync(Buffer.alloc(20_000_000, ' '));

/** Returns all behaviors; `authorization` must permit requests with a body. */
export function createBehaviors(authorization: string): Readonly<Record<string, ClientBehavior>> {
  const post = `POST ${servicePrefix}/groups HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  const compressedHeaders = `Content-Encoding: gzip\r\nContent-Length: ${compressedBody.length}\r\n\r\n`;
  return {
    'send nothing': { clientCount: thousand, first: noop, repeat: noop },
    'send headers slowly': {
      clientCount: thousand,
      first: (socket) => socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n'),
      repeat: (socket) => socket.write('X-A: b\r\n'),
    },
    'send a body slowly': {
      clientCount: thousand,
      first: (socket) => socket.write(`${login}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`),
      repeat: (socket) => socket.write(' '),
    },
    // The response fits into the socket buffers of the system, so it is complete for the server.
    'read nothing of a long response': {
      clientCount: thousand,
      first: (socket) => socket.pause().write(long),
      repeat: noop,
      hasResponses: true,
    },
    // Exceeds the socket buffers.
    'read nothing of twenty long responses': {
      clientCount: 100,
      first: (socket) => socket.pause().write(long.repeat(20)),
      repeat: noop,
    },
    'pipeline thousands of requests': {
      clientCount: 20,
      first: (socket) => socket.write(short.repeat(2000)),
      repeat: noop,
    },
    'send an endless body': {
      clientCount: 50,
      first: (socket) => socket.write(`${post}Transfer-Encoding: chunked\r\n\r\n`),
      repeat(socket) {
        if (socket.writableLength === 0 && socket.bytesWritten < endlessBytes) socket.write(chunk.repeat(4));
      },
    },
    'send a compressed body that inflates to 20 MB': {
      clientCount: 20,
      first: (socket) => socket.write(Buffer.concat([Buffer.from(post + compressedHeaders), compressedBody])),
      repeat: noop,
      hasResponses: true,
    },
  };
}
