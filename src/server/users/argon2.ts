/**
 * Argon2id hashes in PHC form (https://github.com/P-H-C/phc-string-format), made by the package @node-rs/argon2, or by Node's
 * own crypto where the package is missing: an executable contains only one of them. Each verifies the hashes of the other.
 * Where both exist the package is preferred, because a hash of it takes three quarters of the time.
 */
import crypto from 'node:crypto';
import { promisify } from 'node:util';
import type { Algorithm } from '@node-rs/argon2';

/** What a hash costs. */
export interface Argon2Cost {
  /** In KiB. */
  memoryCost: number;
  /** Passes over the memory. */
  timeCost: number;
  /** Lanes. */
  parallelism: number;
}

export interface Argon2 {
  /** Returns a hash in PHC form with a random salt. */
  hash(password: string, cost: Argon2Cost): Promise<string>;
  /** Whether the hash, in PHC form, is of this password. Also false if the hash is malformed. */
  verify(passwordHash: string, password: string): Promise<boolean>;
}

/** `crypto.argon2` of Node 24.7 and later, which the types of older versions do not declare. */
type DeriveTag = (algorithm: 'argon2id', parameters: DeriveParameters) => Promise<Buffer>;
interface DeriveParameters {
  message: string;
  nonce: Buffer;
  memory: number;
  passes: number;
  parallelism: number;
  tagLength: number;
}

/** Bytes of a new salt and of a new tag. RFC 9106, section 4, recommends 16 and at least 16. */
const saltLength = 16;
const tagLength = 32;

/** The PHC form of Argon2id, version 1.3 (there is no older one), with a salt and a tag in base64 without padding. */
const phcForm = /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,8})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Node's own; undefined before version 24.7. */
export function findNodeArgon2(): Argon2 | undefined {
  const { argon2 } = crypto as { argon2?: (...args: unknown[]) => void };
  return argon2 && createNodeArgon2(promisify(argon2) as DeriveTag);
}

function createNodeArgon2(derive: DeriveTag): Argon2 {
  return {
    async hash(message, { memoryCost: memory, timeCost: passes, parallelism }) {
      const nonce = crypto.randomBytes(saltLength);
      const tag = await derive('argon2id', { message, nonce, memory, passes, parallelism, tagLength });
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toBase64(nonce)}$${toBase64(tag)}`;
    },
    async verify(passwordHash, message) {
      const parsed = parsePhc(passwordHash);
      if (!parsed) return false;
      const { tag, ...parameters } = parsed;
      // Rejected only if a parameter is out of range.
      const derived = await derive('argon2id', { ...parameters, message, tagLength: tag.length }).catch(
        () => undefined,
      );
      return derived !== undefined && crypto.timingSafeEqual(derived, tag);
    },
  };
}

function parsePhc(text: string) {
  const match = phcForm.exec(text);
  if (!match) return undefined;
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const [nonce, tag] = match.slice(4).map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer];
  return { memory, passes, parallelism, nonce, tag };
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** The package's enum is `const` and can't be read under isolated modules; 2 is Argon2id. */
const argon2id = 2 as Algorithm;

/** The package's native code. @throws Error if its build for this platform is not installed */
export async function importPackagedArgon2(): Promise<Argon2> {
  const { hash, verify } = await import('@node-rs/argon2');
  return {
    hash: (password, cost) => hash(password, { ...cost, algorithm: argon2id }),
    verify: (passwordHash, password) => verify(passwordHash, password).catch(() => false),
  };
}

/** Argon2 is not available. The message is one line and contains the next step. */
export class PasswordHashingError extends Error {
  override readonly name = 'PasswordHashingError';
}

/**
 * The preferred implementation that this installation has, loaded at first use: most starts do not need it.
 * @param sources replaced by tests
 * @throws PasswordHashingError
 */
export async function loadArgon2(
  sources = { importPackage: importPackagedArgon2, findInNode: findNodeArgon2 },
): Promise<Argon2> {
  try {
    return await sources.importPackage();
  } catch (cause) {
    const own = sources.findInNode();
    if (own) return own;
    const platform = `${process.platform}-${process.arch}`;
    throw new PasswordHashingError(
      `the build of @node-rs/argon2 for ${platform} is not installed; install iam-standin again, with optional dependencies, or use Node 24.7 or later`,
      { cause },
    );
  }
}
