/** Passwords of users: Argon2id with 19 MiB, two passes, one lane (OWASP Password Storage Cheat Sheet). */
import type { Algorithm } from '@node-rs/argon2';
import type { HashLane, HashQueue } from './hash-queue.ts';

/** The enum of the library is `const` and can't be read under isolated modules; 2 is Argon2id. */
const argon2id = 2 as Algorithm;
const cost = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** What Argon2 takes as a minimum: nothing that protects a password. */
const minimalCost = { algorithm: argon2id, memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Hashes of each cost that no password has: whoever has none, or does not exist, is checked against one. */
const dummyHash = '$argon2id$v=19$m=19456,t=2,p=1$S5o/NACan4ikM34gIUq9zw$ewqZ3vuBrKwdGUouskp7S7cAFxM+JjVy+5zE7M4T10o';
const fastDummyHash = '$argon2id$v=19$m=8,t=1,p=1$H4BSd2NfwKAFc7Dru9IOhA$fweESI9ZRk3mGue8dRdC4ENt2hfHcaQGmK5HnflHGBQ';

export interface Passwords {
  /** A hash in PHC form with a random salt. @throws IamError TOO_BUSY; ClientDisconnected. */
  hash(password: string, lane: HashLane): Promise<string>;
  /**
   * Whether the hash was made of this password. Takes as long without a hash, and is then false.
   * @throws IamError TOO_BUSY; ClientDisconnected.
   */
  matches(password: string, passwordHash: string | undefined, lane: HashLane): Promise<boolean>;
  /** Whether a guess at this hash costs less than at a new one. */
  isOutdated(passwordHash: string): boolean;
}

/**
 * @param options.fast setting fast-passwords: new hashes at the least cost there is.
 * @param options.verify what compares; a test watches it, since everybody unknown must be the same work.
 */
export function createPasswords(
  queue: Pick<HashQueue, 'run'>,
  { fast = false, verify = verifyPasswordHash }: { fast?: boolean; verify?: typeof verifyPasswordHash } = {},
): Passwords {
  const chosen = selectCost(fast);
  return {
    hash: (password, lane) => queue.run(() => hashPassword(password, chosen), lane),
    async matches(password, passwordHash, lane) {
      const reference = passwordHash ?? (fast ? fastDummyHash : dummyHash);
      const right = await queue.run(() => verify(password, reference), lane);
      return right && passwordHash !== undefined;
    },
    isOutdated: (passwordHash) => computeWork(passwordHash) < chosen.memoryCost * chosen.timeCost,
  };
}

/** Memory times passes, as a hash in PHC form names them. Never less than one that names none. */
function computeWork(passwordHash: string): number {
  const parameter = (name: string) => Number(new RegExp(`[$,]${name}=(\\d+)`).exec(passwordHash)?.[1] ?? Infinity);
  return parameter('m') * parameter('t');
}

function selectCost(fast: boolean): typeof cost {
  return fast ? minimalCost : cost;
}

export type HashPassword = (password: string) => Promise<string>;

/** As `hashPassword`, at what the setting fast-passwords says. */
export function createPasswordHasher(fast: boolean): HashPassword {
  return (password) => hashPassword(password, selectCost(fast));
}

/** As `Passwords.hash`, out of turn: for the start, when nobody waits. */
export async function hashPassword(password: string, chosen = cost): Promise<string> {
  const { hash } = await loadArgon2();
  return hash(password, chosen);
}

/** As `Passwords.matches`, out of turn. False too where the hash is none. */
export async function verifyPasswordHash(password: string, passwordHash: string): Promise<boolean> {
  const { verify } = await loadArgon2();
  return verify(passwordHash, password).catch(() => false);
}

/** Native code, loaded by the first who needs it: most starts do not. */
function loadArgon2(): Promise<typeof import('@node-rs/argon2')> {
  return import('@node-rs/argon2');
}
