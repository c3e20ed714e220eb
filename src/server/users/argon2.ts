/**
 * Argon2 hashes in PHC form (https://github.com/P-H-C/phc-string-format), by the package @node-rs/argon2 or by Node's own
 * crypto (24.7 and later). Each verifies the hashes that the other makes. A hash of the package takes three quarters of the
 * time, so Node's own is for executables and for installations without the package.
 */
import crypto from 'node:crypto';
import { promisify } from 'node:util';
import type { Algorithm } from '@node-rs/argon2';
import type { HashKind } from './hashes/kind.ts';
import { type Bounds, formatPhc, isInRange } from './hashes/phc.ts';

export interface Argon2Cost {
  /** In KiB. */
  memoryCost: number;
  /** Passes over the memory. */
  timeCost: number;
  /** Lanes. */
  parallelism: number;
}

/** The variants of RFC 9106. New hashes are Argon2id. */
type Variant = 'argon2id' | 'argon2i' | 'argon2d';

export interface Argon2 {
  /** Returns an Argon2id hash in PHC form with a random salt. */
  hash(password: string, cost: Argon2Cost): Promise<string>;
  /** Whether the hash, in PHC form, is of this password. Also false if the hash is not verifiable. */
  verify(passwordHash: string, password: string): Promise<boolean>;
}

/** `crypto.argon2`, which the types of older versions of Node do not declare. */
type DeriveTag = (algorithm: Variant, parameters: DeriveParameters) => Promise<Buffer>;
interface DeriveParameters {
  message: string;
  nonce: Buffer;
  memory: number;
  passes: number;
  parallelism: number;
  tagLength: number;
}

/** Bytes of a new salt and of a new tag. RFC 9106, section 4, recommends 16 and at least 16. */
const newSaltLength = 16;
const newTagLength = 32;

/**
 * What is verified: a hash of a seed or a dump costs what its parameters say. Includes the defaults of Keycloak, PHP, Django
 * and the reference implementation, and the second recommendation of RFC 9106, section 4. Lengths are those of the package.
 */
const bounds = {
  /** In KiB. */
  memory: { min: 8, max: 262_144 },
  passes: { min: 1, max: 10 },
  lanes: { min: 1, max: 8 },
  saltBytes: { min: 8, max: 48 },
  tagBytes: { min: 10, max: 64 },
};

const formatRange = ({ min, max }: Bounds) => `${min} to ${max}`;

/** Completes the name of a hash to the message about one that is not verified. */
export const argon2Rule = `must be an Argon2 hash in PHC form with m=${formatRange(bounds.memory)}, t=${formatRange(bounds.passes)}, p=${formatRange(bounds.lanes)}, m at least 8 times p, a salt of ${formatRange(bounds.saltBytes)} and a tag of ${formatRange(bounds.tagBytes)} bytes`;

/** The PHC form with a salt and a tag in base64 without padding. Without a version it is 1.3, the only one of Node. */
const phcForm = /^\$(argon2(?:id|i|d))(?:\$v=19)?\$([^$]{1,200})\$([A-Za-z0-9+/]{1,64})\$([A-Za-z0-9+/]{1,86})$/;

/** Node's own; undefined before version 24.7. */
export function findNodeArgon2(): Argon2 | undefined {
  const { argon2 } = crypto as { argon2?: (...args: unknown[]) => void };
  return argon2 && createNodeArgon2(promisify(argon2) as DeriveTag);
}

function createNodeArgon2(derive: DeriveTag): Argon2 {
  return {
    async hash(message, { memoryCost: memory, timeCost: passes, parallelism }) {
      const nonce = crypto.randomBytes(newSaltLength);
      const tag = await derive('argon2id', { message, nonce, memory, passes, parallelism, tagLength: newTagLength });
      return formatPhc('argon2id$v=19', `m=${memory},t=${passes},p=${parallelism}`, nonce, tag);
    },
    async verify(passwordHash, message) {
      const parsed = parseHash(passwordHash);
      if (!parsed) return false;
      const { variant, tag, ...parameters } = parsed;
      try {
        return crypto.timingSafeEqual(await derive(variant, { ...parameters, message, tagLength: tag.length }), tag);
      } catch (error) {
        // Other failures, such as a lack of memory, must not look like a wrong password.
        if ((error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE') return false;
        throw error;
      }
    },
  };
}

/** The parts of a hash; undefined outside of the bounds. */
function parseHash(text: string) {
  const [, variant, cost = '', salt = '', encodedTag = ''] = phcForm.exec(text) ?? [];
  const names = cost.split(',').map((parameter) => parameter.split('=')[0]);
  // A name that is given twice could have another value for the package.
  if (new Set(names).size !== names.length) return undefined;
  const [nonce, tag] = [Buffer.from(salt, 'base64'), Buffer.from(encodedTag, 'base64')];
  const [memory = 0, passes = 0, parallelism = 0] = [
    readPhcCost(text, 'm'),
    readPhcCost(text, 't'),
    readPhcCost(text, 'p'),
  ];
  const isBounded =
    isInRange(memory, bounds.memory) &&
    isInRange(passes, bounds.passes) &&
    isInRange(parallelism, bounds.lanes) &&
    isInRange(nonce.length, bounds.saltBytes) &&
    isInRange(tag.length, bounds.tagBytes) &&
    memory >= 8 * parallelism;
  return isBounded ? { variant: variant as Variant, memory, passes, parallelism, nonce, tag } : undefined;
}

export const argon2Kind: HashKind = {
  name: 'Argon2',
  has: (hash) => hash.startsWith('$argon2'),
  findProblem: (hash) => (parseHash(hash) ? undefined : argon2Rule),
  verify: async (hash, password) => (await loadArgon2()).verify(hash, password),
};

/** Reads memory (`m`), passes (`t`) or lanes (`p`) of a hash in PHC form. */
export function readPhcCost(passwordHash: string, name: 'm' | 't' | 'p'): number | undefined {
  const [, digits] = new RegExp(`[$,]${name}=(\\d+)`).exec(passwordHash) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The package's enum is `const` and can't be read under isolated modules; 2 is Argon2id. */
const argon2id = 2 as Algorithm;

/** The package's native code. @throws Error if its build for this platform is not installed */
export async function importPackagedArgon2(): Promise<Argon2> {
  const { hash, verify } = await import('@node-rs/argon2');
  return {
    hash: (password, cost) => hash(password, { ...cost, algorithm: argon2id }),
    verify: async (passwordHash, password) =>
      parseHash(passwordHash) !== undefined && verify(passwordHash, password).catch(() => false),
  };
}

/** Argon2 is not available. The message is one line and contains the next step. */
export class PasswordHashingError extends Error {
  override readonly name = 'PasswordHashingError';
}

/** Other run times lack the module. */
const isSea = () => process.getBuiltinModule?.('node:sea')?.isSea() ?? false;

/** Tests replace them. */
const installation = { isExecutable: isSea(), importPackage: importPackagedArgon2, findInNode: findNodeArgon2 };

/**
 * The implementation that this installation uses, loaded at first use: most starts do not need it.
 * @throws PasswordHashingError
 */
export async function loadArgon2({ isExecutable, importPackage, findInNode } = installation): Promise<Argon2> {
  const own = findInNode();
  // An executable lacks the package then. Importing it would search the folders above, which others may be able to write.
  if (isExecutable && own) return own;
  try {
    return await importPackage();
  } catch (cause) {
    if (own) return own;
    const platform = `${process.platform}-${process.arch}`;
    throw new PasswordHashingError(
      `the build of @node-rs/argon2 for ${platform} is not installed; install iam-standin again, with optional dependencies, or use Node 24.7 or later`,
      { cause },
    );
  }
}
