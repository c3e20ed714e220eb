/**
 * What a hash of a password costs to verify: the hash with the lengths of its salt and its tag in place of both, such as
 * `$argon2id$v=19$m=19456,t=2,p=1$22$43`. Hashes of one cost take the same time, so a dummy of that cost does as well.
 */

/** bcrypt has no separator between the salt and the tag: 53 characters in all. */
const bcryptForm = /^(\$2[aby]\$\d\d\$)[./A-Za-z0-9]{53}$/;
const bcryptLength = 53;

/** @returns undefined for a text that is no hash */
export function readHashCost(passwordHash: string): string | undefined {
  const [, bcrypt] = bcryptForm.exec(passwordHash) ?? [];
  if (bcrypt !== undefined) return bcrypt;
  const parts = passwordHash.split('$');
  const [salt, tag] = parts.splice(-2);
  if (parts.length < 3 || salt === undefined || tag === undefined) return undefined;
  return [...parts, salt.length, tag.length].join('$');
}

/** Returns a hash of a cost that no password is known to match. */
export function createDummyHash(cost: string): string {
  if (cost.startsWith('$2')) return cost + '.'.repeat(bcryptLength);
  const parts = cost.split('$');
  const lengths = parts.splice(-2).map(Number);
  return [...parts, ...lengths.map((length) => 'A'.repeat(length))].join('$');
}
