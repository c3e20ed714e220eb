import type { Readable } from 'node:stream';

/** Reads all buffered text of a stream. From Node 26 on `read` returns one chunk, before that all of them. */
export function drainStream(stream: Readable): string {
  const chunks: Buffer[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
