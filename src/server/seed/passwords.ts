/** Hashes the passwords of a seed, each once. */
import { forEachParallel } from '../lib/for-each-parallel.ts';
import { normalizePassword } from '../lib/password-length.ts';
import type { HashPassword } from '../users/passwords.ts';

export interface PasswordHolder {
  readonly password?: string | undefined;
  /** Of a logon of the mainframe, whose password is hashed as it stands. */
  readonly logon?: string | undefined;
}

/** Called before the first password is hashed, and after each. */
export type ReportHashes = (done: number, total: number) => void;

export interface SeedPasswords {
  /** The hash of the password of a user or logon; undefined without a password. */
  hashOf(holder: PasswordHolder): Promise<string | undefined>;
  /** Hashes the passwords of these users and logons before they are needed, some at a time. */
  hashAll(holders: readonly PasswordHolder[], concurrency: number, report?: ReportHashes): Promise<void>;
}

/** @param hash of a text as it stands. The hashes are computed before the transaction, and in it only for what was deleted in the meantime. */
export function createSeedPasswords(hash: HashPassword): SeedPasswords {
  const hashes = new Map<PasswordHolder, string>();
  async function hashOf(holder: PasswordHolder): Promise<string | undefined> {
    if (holder.password === undefined) return undefined;
    const passwordHash =
      hashes.get(holder) ??
      (await hash(holder.logon === undefined ? normalizePassword(holder.password) : holder.password));
    hashes.set(holder, passwordHash);
    return passwordHash;
  }
  return {
    hashOf,
    async hashAll(holders, concurrency, report = () => {}) {
      const total = holders.length;
      if (total === 0) return;
      let done = 0;
      report(done, total);
      await forEachParallel(holders, concurrency, async (holder) => {
        await hashOf(holder);
        done += 1;
        report(done, total);
      });
    },
  };
}
