/**
 * Passwords of users: Argon2id with 19 MiB, two passes, one lane (OWASP Password Storage Cheat Sheet). Hashes of other kinds
 * and costs are of imported users; they are verified and replaced.
 */

import { normalizePassword } from '../lib/password-length.ts';
import type { HashFlow, HashQueue } from '../limits/hash-queue.ts';
import { type Argon2Cost, loadArgon2, readPhcCost } from './argon2.ts';
import { isVerifiable, verifyHash } from './hashes/kinds.ts';

const cost: Argon2Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The minimum that Argon2 accepts; it does not protect a password. */
const minimalCost: Argon2Cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** A hash at each cost of new ones that no password matches. */
const dummyHash = '$argon2id$v=19$m=19456,t=2,p=1$S5o/NACan4ikM34gIUq9zw$ewqZ3vuBrKwdGUouskp7S7cAFxM+JjVy+5zE7M4T10o';
const fastDummyHash = '$argon2id$v=19$m=8,t=1,p=1$H4BSd2NfwKAFc7Dru9IOhA$fweESI9ZRk3mGue8dRdC4ENt2hfHcaQGmK5HnflHGBQ';

export interface Passwords {
  /** A hash of the password in NFC, in PHC form with a random salt. @throws IamError TOO_BUSY; ClientDisconnectedError. */
  hash(password: string, flow: HashFlow): Promise<string>;
  /**
   * Whether the hash matches the password in NFC, or as sent if that differs: hashes of before are of what was sent. Takes
   * the same time without a hash, or with one that is not verifiable, and then returns false.
   * @param name what the caller typed: without a hash, it selects the dummy that is verified
   * @throws IamError TOO_BUSY; ClientDisconnectedError.
   */
  matches(password: string, passwordHash: string | undefined, flow: HashFlow, name?: string): Promise<boolean>;
  /** `hash` and `matches` without NFC: passwords of the mainframe follow its rules. */
  readonly asSent: Pick<Passwords, 'hash' | 'matches'>;
  /** Whether this hash is of another kind than new ones, or cheaper to attack. */
  isOutdated(passwordHash: string): boolean;
}

export interface PasswordOptions {
  /** Setting fast-passwords: new hashes at the minimum cost. */
  readonly fast?: boolean;
  /** Compares a password with a hash; tests replace it to check that unknown users cause the same work. */
  readonly verify?: typeof verifyPasswordHash;
  /** Those of a store with imported hashes. Default: a hash at the cost of new ones. */
  readonly dummies?: DummyHashes;
}

/** What is verified for names of users that do not exist or have no password. */
export interface DummyHashes {
  /** A hash that no password matches, always the same for a name. Undefined: one at the cost of new hashes. */
  select(name: string): Promise<string | undefined>;
}

export function createPasswords(
  queue: Pick<HashQueue, 'run'>,
  { fast = false, verify = verifyPasswordHash, dummies }: PasswordOptions = {},
): Passwords {
  const hashCost = selectCost(fast);
  const ownDummy = fast ? fastDummyHash : dummyHash;
  const asSent: Passwords['asSent'] = {
    hash: (password, flow) => queue.run(() => hashPassword(password, hashCost), flow),
    async matches(password, passwordHash, flow, name = '') {
      const own = passwordHash !== undefined && isVerifiable(passwordHash) ? passwordHash : undefined;
      // Also for a known user: it takes the same time.
      const dummy = (await dummies?.select(name)) ?? ownDummy;
      const reference = own ?? dummy;
      const isMatch = await queue.run(() => verify(password, reference), flow);
      return isMatch && own !== undefined;
    },
  };
  return {
    asSent,
    hash: (password, flow) => asSent.hash(normalizePassword(password), flow),
    async matches(password, passwordHash, flow, name) {
      for (const spelling of listSpellings(password))
        if (await asSent.matches(spelling, passwordHash, flow, name)) return true;
      return false;
    },
    isOutdated: (passwordHash) =>
      !passwordHash.startsWith('$argon2id$') || computeWork(passwordHash) < hashCost.memoryCost * hashCost.timeCost,
  };
}

/** The texts of which a hash matches the password, in the order in which they are compared. */
export function listSpellings(password: string): string[] {
  return [...new Set([normalizePassword(password), password])];
}

/** Memory times passes. Infinite if a parameter is missing. */
function computeWork(passwordHash: string): number {
  return (readPhcCost(passwordHash, 'm') ?? Infinity) * (readPhcCost(passwordHash, 't') ?? Infinity);
}

function selectCost(fast: boolean): Argon2Cost {
  return fast ? minimalCost : cost;
}

export type HashPassword = (password: string) => Promise<string>;

/** Like `hashPassword`, at the cost of the setting fast-passwords. */
export function createPasswordHasher(fast: boolean): HashPassword {
  return (password) => hashPassword(password, selectCost(fast));
}

/** Like `Passwords.asSent.hash`, without the queue: for the start, before requests are served. @throws PasswordHashingError */
export async function hashPassword(password: string, hashCost = cost): Promise<string> {
  const { hash } = await loadArgon2();
  return hash(password, hashCost);
}

/** Like `Passwords.asSent.matches`, without the queue. Also false if the hash is not verifiable. @throws PasswordHashingError */
export function verifyPasswordHash(password: string, passwordHash: string): Promise<boolean> {
  return verifyHash(passwordHash, password);
}
