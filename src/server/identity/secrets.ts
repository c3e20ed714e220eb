/** Secrets of high entropy: kept as SHA-256, compared in constant time. (Passwords are another matter, see passwords.ts.) */
import { hash as digest, timingSafeEqual } from 'node:crypto';

/** What is stored of a secret: `sha256:` and the digest in hexadecimal. */
export function hashSecret(secret: string): string {
  return `sha256:${digest('sha256', secret)}`;
}

/** Stands in for the hash of a client that does not exist, so that both cases do the same work. */
const dummyHash = hashSecret('no secret has this hash on purpose');

/** Whether `secret` is the one that `hash` was made of. Takes as long without a hash, and is then never true. */
export function secretMatches(secret: string, hash: string | undefined): boolean {
  const actual = Buffer.from(hashSecret(secret));
  const expected = Buffer.from(hash ?? dummyHash);
  return actual.length === expected.length && timingSafeEqual(actual, expected) && hash !== undefined;
}
