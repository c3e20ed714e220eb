/** Secrets of high entropy: stored as SHA-256, compared in constant time. Passwords need a slow hash, see passwords.ts. */
import { hash as digest, timingSafeEqual } from 'node:crypto';

/** The stored form of a secret: `sha256:` and the digest in hexadecimal. */
export function hashSecret(secret: string): string {
  return `sha256:${digest('sha256', secret)}`;
}

/** Used instead of the hash of an unknown client, so that both cases do the same work. */
const dummyHash = hashSecret('no secret has this hash on purpose');

/** Whether the hash matches the secret. Takes the same time without a hash, and then returns false. */
export function secretMatches(secret: string, hash: string | undefined): boolean {
  const actual = Buffer.from(hashSecret(secret));
  const expected = Buffer.from(hash ?? dummyHash);
  return actual.length === expected.length && timingSafeEqual(actual, expected) && hash !== undefined;
}
