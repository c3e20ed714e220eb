/** The kinds of hashes that the service verifies. New hashes are Argon2id; others are of imported users. */
import { argon2Kind } from '../argon2.ts';
import { bcryptKind } from './bcrypt.ts';
import type { HashKind } from './kind.ts';
import { pbkdf2Kind } from './pbkdf2.ts';
import { scryptKind } from './scrypt.ts';

const kinds: readonly HashKind[] = [argon2Kind, pbkdf2Kind, bcryptKind, scryptKind];

function findKind(hash: string): HashKind | undefined {
  return kinds.find((kind) => kind.has(hash));
}

/** Why a hash is not verified, as a predicate; undefined if it is. */
export function findHashProblem(hash: string): string | undefined {
  const kind = findKind(hash);
  if (kind) return kind.findProblem(hash);
  return `must be a hash of ${kinds.map(({ name }) => name).join(', ')}, in PHC form or as its exporter writes it`;
}

/** Whether the service verifies a hash; others match no password. */
export function isVerifiable(hash: string): boolean {
  return findHashProblem(hash) === undefined;
}

/** Whether the hash is of this password. Also false if the hash is not verified. @throws PasswordHashingError */
export async function verifyHash(hash: string, password: string): Promise<boolean> {
  return (await findKind(hash)?.verify(hash, password)) ?? false;
}
