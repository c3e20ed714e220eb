/** Hashes the passwords of a seed, each once. */
import type { HashPassword } from '../users/passwords.ts';

interface PasswordHolder {
  readonly password?: string | undefined;
}

export interface SeedPasswords {
  /** The hash of the password of a user or logon; undefined without a password. */
  hashOf(holder: PasswordHolder): Promise<string | undefined>;
}

/** The hashes are computed before the transaction, and in it only for what was deleted in the meantime. */
export function createSeedPasswords(hash: HashPassword): SeedPasswords {
  const hashes = new Map<PasswordHolder, string>();
  return {
    async hashOf(holder) {
      if (holder.password === undefined) return undefined;
      const passwordHash = hashes.get(holder) ?? (await hash(holder.password));
      hashes.set(holder, passwordHash);
      return passwordHash;
    },
  };
}
