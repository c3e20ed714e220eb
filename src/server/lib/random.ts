/** The only source of randomness. Other modules receive a Random. */
import { randomBytes, randomUUID } from 'node:crypto';

export interface Random {
  /** Cryptographically secure random bytes. */
  bytes(length: number): Buffer;
  /** A random UUID (RFC 9562, version 4). */
  uuid(): string;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };

const drawsAtOnce = 256;

/** Returns a function that returns this many random bytes. They are drawn for many calls at once: a draw takes microseconds. */
export function createDraw(random: Random, length: number): () => Buffer {
  let drawn: Buffer = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at + length > drawn.length) {
      drawn = random.bytes(drawsAtOnce * length);
      at = 0;
    }
    at += length;
    return drawn.subarray(at - length, at);
  };
}

/** Generates a secret of 256 random bits, safe in URLs, shells and Basic headers. */
export function generateSecret(random: Random): string {
  return random.bytes(32).toString('base64url');
}
