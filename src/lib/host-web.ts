/** Web classes in addition to `host.ts`, which the server loads: the command starts without them. */
import nodeBuffer from 'node:buffer';
import nodeCrypto from 'node:crypto';
import nodeStreams from 'node:stream/web';

export const { Blob } = nodeBuffer;
export const { webcrypto: crypto } = nodeCrypto;
export const { ReadableStream } = nodeStreams;

/** Koa supports a body of this class. No handler has one, and Node's own takes long to load. */
export class Response {}
