/** Passwords of users: Argon2id with 19 MiB, two passes, one lane (OWASP Password Storage Cheat Sheet). */
import type { Algorithm } from '@node-rs/argon2';

/** The enum of the library is `const` and can't be read under isolated modules; 2 is Argon2id. */
const argon2id = 2 as Algorithm;
const cost = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash in PHC form with a random salt. Runs off the event loop. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await argon2();
  return hash(password, cost);
}

/** Whether the password is the one that the hash was made of. False too where the hash is none. */
export async function passwordMatches(password: string, passwordHash: string): Promise<boolean> {
  const { verify } = await argon2();
  return verify(passwordHash, password).catch(() => false);
}

/** Native code, loaded by the first who needs it: most starts do not. */
function argon2(): Promise<typeof import('@node-rs/argon2')> {
  return import('@node-rs/argon2');
}
