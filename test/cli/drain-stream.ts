import type { Readable } from 'node:stream';

/** All that waits in a stream, as text. From Node 26 on a `read` gives one chunk of it, and before all of them. */
export function drainStream(stream: Readable): string {
  const chunks: Buffer[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
