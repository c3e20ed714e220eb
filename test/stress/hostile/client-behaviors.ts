/** Kinds of callers who take more than is theirs: what each does at once, and then again and again. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { servicePrefix } from '../../../src/contract/prefix.ts';

export interface ClientBehavior {
  /** How many there are of them. */
  readonly clientCount: number;
  first(socket: Socket): void;
  /** Every 100 ms. */
  repeat(socket: Socket): void;
  /** Each call of theirs is answered, and with that they may stay; what must not happen is that others pay for it. */
  readonly isAnswered?: true;
}

const thousand = 1000;
const login = `POST ${servicePrefix}/client-identities/login HTTP/1.1\r\nHost: localhost\r\n`;
const long = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
const short = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const nothing = () => {};

/** Bytes of what is sent without an end: far more than a body may have. */
const endless = 8_000_000;
const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`;
const inflating = gzipSync(Buffer.alloc(20_000_000, ' '));

/** Calls that a body is read of: `authorization` is that of somebody who may make them. */
export function createBehaviors(authorization: string): Readonly<Record<string, ClientBehavior>> {
  const post = `POST ${servicePrefix}/groups HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  const compressed = `Content-Encoding: gzip\r\nContent-Length: ${inflating.length}\r\n\r\n`;
  return {
    'say nothing': { clientCount: thousand, first: nothing, repeat: nothing },
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
    // What the system takes of an answer is out, as far as the server can tell.
    'read nothing of a long answer': {
      clientCount: thousand,
      first: (socket) => socket.pause().write(long),
      repeat: nothing,
      isAnswered: true,
    },
    // Far more than the system takes.
    'read nothing of twenty long answers': {
      clientCount: 100,
      first: (socket) => socket.pause().write(long.repeat(20)),
      repeat: nothing,
    },
    'ask far ahead': {
      clientCount: 20,
      first: (socket) => socket.write(short.repeat(2000)),
      repeat: nothing,
    },
    'send a body without end': {
      clientCount: 50,
      first: (socket) => socket.write(`${post}Transfer-Encoding: chunked\r\n\r\n`),
      repeat(socket) {
        if (socket.writableLength === 0 && socket.bytesWritten < endless) socket.write(chunk.repeat(4));
      },
    },
    'send a body that is much longer than it looks': {
      clientCount: 20,
      first: (socket) => socket.write(Buffer.concat([Buffer.from(post + compressed), inflating])),
      repeat: nothing,
      isAnswered: true,
    },
  };
}
