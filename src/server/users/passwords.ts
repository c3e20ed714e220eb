/** Passwords of users: Argon2id with 19 MiB, two passes, one lane (OWASP Password Storage Cheat Sheet). */

import { normalizePassword } from '../lib/password-length.ts';
import type { HashFlow, HashQueue } from '../limits/hash-queue.ts';
import { type Argon2Cost, isVerifiable, loadArgon2, readPhcCost } from './argon2.ts';

const cost: Argon2Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The minimum that Argon2 accepts; it does not protect a password. */
const minimalCost: Argon2Cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** A hash at each cost that no password matches; verified for users that do not exist or have no password. */
const dummyHash = '$argon2id$v=19$m=19456,t=2,p=1$S5o/NACan4ikM34gIUq9zw$ewqZ3vuBrKwdGUouskp7S7cAFxM+JjVy+5zE7M4T10o';
const fastDummyHash = '$argon2id$v=19$m=8,t=1,p=1$H4BSd2NfwKAFc7Dru9IOhA$fweESI9ZRk3mGue8dRdC4ENt2hfHcaQGmK5HnflHGBQ';

export interface Passwords {
  /** A hash of the password in NFC, in PHC form with a random salt. @throws IamError TOO_BUSY; ClientDisconnectedError. */
  hash(password: string, flow: HashFlow): Promise<string>;
  /**
   * Whether the hash matches the password in NFC, or as sent if that differs: hashes of before are of what was sent. Takes
   * the same time without a hash, or with one that is not verifiable, and then returns false.
   * @throws IamError TOO_BUSY; ClientDisconnectedError.
   */
  matches(password: string, passwordHash: string | undefined, flow: HashFlow): Promise<boolean>;
  /** `hash` and `matches` without NFC: passwords of the mainframe follow its rules. */
  readonly asSent: Pick<Passwords, 'hash' | 'matches'>;
  /** Whether this hash is cheaper to attack than a new one. */
  isOutdated(passwordHash: string): boolean;
}

/**
 * @param options.fast setting fast-passwords: new hashes at the minimum cost.
 * @param options.verify compares a password with a hash; tests replace it to check that unknown users cause the same work.
 */
export function createPasswords(
  queue: Pick<HashQueue, 'run'>,
  { fast = false, verify = verifyPasswordHash }: { fast?: boolean; verify?: typeof verifyPasswordHash } = {},
): Passwords {
  const hashCost = selectCost(fast);
  const asSent: Passwords['asSent'] = {
    hash: (password, flow) => queue.run(() => hashPassword(password, hashCost), flow),
    async matches(password, passwordHash, flow) {
      const own = passwordHash !== undefined && isVerifiable(passwordHash) ? passwordHash : undefined;
      const reference = own ?? (fast ? fastDummyHash : dummyHash);
      const isMatch = await queue.run(() => verify(password, reference), flow);
      return isMatch && own !== undefined;
    },
  };
  return {
    asSent,
    hash: (password, flow) => asSent.hash(normalizePassword(password), flow),
    async matches(password, passwordHash, flow) {
      for (const spelling of listSpellings(password))
        if (await asSent.matches(spelling, passwordHash, flow)) return true;
      return false;
    },
    isOutdated: (passwordHash) => computeWork(passwordHash) < hashCost.memoryCost * hashCost.timeCost,
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
export async function verifyPasswordHash(password: string, passwordHash: string): Promise<boolean> {
  const { verify } = await loadArgon2();
  return verify(passwordHash, password);
}
