/** The one source of randomness. Everything else is handed a Randomness. */
import { randomBytes, randomUUID } from 'node:crypto';

export interface Random {
  /** Unpredictable bytes. */
  bytes(length: number): Buffer;
  /** A random UUID (RFC 9562, version 4). */
  uuid(): string;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };

/** A new secret of 256 random bits, in letters that survive a URL, a shell and a Basic header. */
export function generateSecret(random: Random): string {
  return random.bytes(32).toString('base64url');
}
