/** The only source of randomness. Other modules receive a Random. */
import { randomBytes, randomUUID } from 'node:crypto';

export interface Random {
  /** Cryptographically secure random bytes. */
  bytes(length: number): Buffer;
  /** A random UUID (RFC 9562, version 4). */
  uuid(): string;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };

/** Generates a secret of 256 random bits, safe in URLs, shells and Basic headers. */
export function generateSecret(random: Random): string {
  return random.bytes(32).toString('base64url');
}
