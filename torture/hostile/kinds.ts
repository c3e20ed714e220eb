/** Kinds of callers who take more than is theirs: what each does at once, and then again and again. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { servicePrefix } from '../../src/contract/prefix.ts';

export interface Kind {
  /** How many there are of them. */
  readonly greedy: number;
  first(socket: Socket): void;
  /** Every 100 ms. */
  again(socket: Socket): void;
  /** Each call of theirs is answered, and with that they may stay; what must not happen is that others pay for it. */
  readonly answered?: true;
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
export function kindsOf(authorization: string): Readonly<Record<string, Kind>> {
  const post = `POST ${servicePrefix}/groups HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  const compressed = `Content-Encoding: gzip\r\nContent-Length: ${inflating.length}\r\n\r\n`;
  return {
    'say nothing': { greedy: thousand, first: nothing, again: nothing },
    'send headers slowly': {
      greedy: thousand,
      first: (socket) => socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n'),
      again: (socket) => socket.write('X-A: b\r\n'),
    },
    'send a body slowly': {
      greedy: thousand,
      first: (socket) => socket.write(`${login}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`),
      again: (socket) => socket.write(' '),
    },
    // What the system takes of an answer is out, as far as the server can tell.
    'read nothing of a long answer': {
      greedy: thousand,
      first: (socket) => socket.pause().write(long),
      again: nothing,
      answered: true,
    },
    // Far more than the system takes.
    'read nothing of twenty long answers': {
      greedy: 100,
      first: (socket) => socket.pause().write(long.repeat(20)),
      again: nothing,
    },
    'ask far ahead': {
      greedy: 20,
      first: (socket) => socket.write(short.repeat(2000)),
      again: nothing,
    },
    'send a body without end': {
      greedy: 50,
      first: (socket) => socket.write(`${post}Transfer-Encoding: chunked\r\n\r\n`),
      again(socket) {
        if (socket.writableLength === 0 && socket.bytesWritten < endless) socket.write(chunk.repeat(4));
      },
    },
    'send a body that is much longer than it looks': {
      greedy: 20,
      first: (socket) => socket.write(Buffer.concat([Buffer.from(post + compressed), inflating])),
      again: nothing,
      answered: true,
    },
  };
}
