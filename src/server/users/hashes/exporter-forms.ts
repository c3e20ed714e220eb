/**
 * Hashes as other services export them, made texts in PHC form: the credentials of Keycloak, the custom_password_hash of a
 * bulk import of Auth0, and the texts of Python's passlib and of bcrypt.
 */
import * as z from 'zod';
import { parseJson } from '../../../lib/json-text.ts';
import { findHashProblem } from './kinds.ts';
import { formatPhc, toBase64 } from './phc.ts';

/** A hash, or why it cannot be verified, as a predicate. */
export type ReadHash =
  | { readonly hash: string; readonly problem?: undefined }
  | { readonly hash?: undefined; readonly problem: string };

/** Reads a hash in any form. @returns a problem for one that is not verified */
export function readHash(value: unknown): ReadHash {
  const read = typeof value === 'string' ? { hash: normalizeText(value) } : readObject(value);
  if (read.problem !== undefined) return read;
  const problem = findHashProblem(read.hash);
  return problem === undefined ? read : { problem };
}

/** passlib writes the rounds of PBKDF2 without a name, and `.` for `+`; others pad base64. */
function normalizeText(text: string): string {
  if (text.startsWith('$2')) return text;
  const [, prefix, rounds, salt = '', tag = ''] =
    /^(\$pbkdf2(?:-sha1|-sha256|-sha512)?\$)(\d{1,10})\$([^$]+)\$([^$]+)$/.exec(text) ?? [];
  const named =
    prefix === undefined ? text : `${prefix}i=${rounds}$${salt.replaceAll('.', '+')}$${tag.replaceAll('.', '+')}`;
  return named.replace(/^\$pbkdf2\$/, '$pbkdf2-sha1$').replace(/={1,2}(?=\$|$)/g, '');
}

const unknownForm: ReadHash = {
  problem: 'must be a text, a credential of Keycloak (credentialData, secretData) or a custom_password_hash of Auth0',
};

function readObject(value: unknown): ReadHash {
  if (typeof value !== 'object' || value === null) return unknownForm;
  if ('credentialData' in value || 'secretData' in value) return readKeycloakCredential(value);
  if ('hashedSaltedValue' in value) return readFormerKeycloakCredential(value);
  return 'hash' in value && 'algorithm' in value ? readAuth0Hash(value) : unknownForm;
}

/** Keycloak writes both as JSON within JSON. */
const nestedJson = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    try {
      return parseJson(value);
    } catch {
      return undefined;
    }
  }, schema);

const KeycloakCredential = z.looseObject({
  credentialData: nestedJson(
    z.looseObject({
      algorithm: z.string().default('pbkdf2-sha256'),
      hashIterations: z.int().default(1),
      additionalParameters: z.record(z.string(), z.array(z.string())).nullish(),
    }),
  ),
  secretData: nestedJson(z.looseObject({ value: z.string(), salt: z.string().nullish() })),
});

/** Of Keycloak before version 8. The first versions had one algorithm, and no name for it. */
const FormerKeycloakCredential = z.looseObject({
  algorithm: z.string().nullish(),
  hashIterations: z.int(),
  hashedSaltedValue: z.string(),
  salt: z.string(),
});

function readKeycloakCredential(value: object): ReadHash {
  const { data } = KeycloakCredential.safeParse(value);
  if (!data)
    return { problem: 'must have an algorithm in credentialData and a value in secretData, as Keycloak exports' };
  const { algorithm, hashIterations, additionalParameters } = data.credentialData;
  const { value: tag, salt } = data.secretData;
  return convertKeycloakHash({ algorithm, hashIterations, tag, salt: salt ?? '' }, additionalParameters ?? {});
}

function readFormerKeycloakCredential(value: object): ReadHash {
  const { data } = FormerKeycloakCredential.safeParse(value);
  if (!data) return { problem: 'must have hashedSaltedValue, salt and hashIterations, as Keycloak exported' };
  return convertKeycloakHash({ ...data, algorithm: data.algorithm ?? 'pbkdf2', tag: data.hashedSaltedValue }, {});
}

/** The names of the providers of Keycloak. */
const keycloakDigests: Readonly<Record<string, string>> = {
  pbkdf2: 'sha1',
  HmacSHA1: 'sha1',
  'pbkdf2-sha256': 'sha256',
  'pbkdf2-sha512': 'sha512',
};

interface KeycloakHash {
  readonly algorithm: string;
  readonly hashIterations: number;
  readonly tag: string;
  readonly salt: string;
}

function convertKeycloakHash(
  { algorithm, hashIterations, tag, salt }: KeycloakHash,
  parameters: Readonly<Record<string, readonly string[]>>,
): ReadHash {
  const digest = Object.hasOwn(keycloakDigests, algorithm) ? keycloakDigests[algorithm] : undefined;
  const [saltBytes, tagBytes] = [Buffer.from(salt, 'base64'), Buffer.from(tag, 'base64')];
  if (digest !== undefined)
    return { hash: formatPhc(`pbkdf2-${digest}`, `i=${hashIterations},l=${tagBytes.length}`, saltBytes, tagBytes) };
  if (algorithm === 'argon2') {
    const [type = 'id', version = '1.3', memory = '', parallelism = '1'] = [
      'type',
      'version',
      'memory',
      'parallelism',
    ].map((name) => parameters[name]?.[0]);
    const cost = `m=${memory},t=${hashIterations},p=${parallelism}`;
    if (version !== '1.3') return { problem: `is of version ${version} of Argon2; 1.3 is verified` };
    return { hash: formatPhc(`argon2${type}$v=19`, cost, saltBytes, tagBytes) };
  }
  // Extensions for bcrypt and others store the text of their hash.
  return tag.startsWith('$') ? { hash: normalizeText(tag) } : unknownAlgorithm(algorithm);
}

const unknownAlgorithm = (algorithm: string): ReadHash => ({
  problem: `is a hash of ${algorithm.slice(0, 40)}, which is not verified`,
});

const encodings = ['base64', 'hex', 'utf8'] as const;

const Auth0Hash = z.looseObject({
  algorithm: z.string(),
  hash: z.looseObject({ value: z.string(), encoding: z.enum(encodings).default('utf8') }),
  salt: z.looseObject({ value: z.string(), encoding: z.enum(encodings).default('utf8') }).nullish(),
  password: z.looseObject({ encoding: z.string().default('utf8') }).nullish(),
  keylen: z.int().nullish(),
  cost: z.int().nullish(),
  blockSize: z.int().nullish(),
  parallelization: z.int().nullish(),
});

/** https://auth0.com/docs/manage-users/user-migration/bulk-user-imports: the properties of custom_password_hash. */
function readAuth0Hash(value: object): ReadHash {
  const { data } = Auth0Hash.safeParse(value);
  if (!data) return { problem: 'must have an algorithm, and a hash with its value and encoding, as Auth0 imports' };
  const { algorithm, hash, password } = data;
  if ((password?.encoding ?? 'utf8') !== 'utf8') return { problem: 'is of a password that is not encoded as utf8' };
  if (['argon2', 'bcrypt', 'pbkdf2'].includes(algorithm)) return { hash: normalizeText(hash.value) };
  return algorithm === 'scrypt' ? convertAuth0Scrypt(data) : unknownAlgorithm(algorithm);
}

/** Defaults are those of Node's scrypt, which Auth0 uses. */
function convertAuth0Scrypt({ hash, salt, keylen, ...parameters }: z.output<typeof Auth0Hash>): ReadHash {
  const [cost, r, p] = [parameters.cost ?? 16_384, parameters.blockSize ?? 8, parameters.parallelization ?? 1];
  const ln = Math.log2(cost);
  if (!Number.isInteger(ln)) return { problem: `must have a power of 2 as cost (scrypt); it has ${cost}` };
  const tag = Buffer.from(hash.value, hash.encoding);
  if (keylen !== undefined && keylen !== null && keylen !== tag.length)
    return { problem: `must have a hash of keylen bytes (scrypt); it has ${tag.length} instead of ${keylen}` };
  const saltBytes = Buffer.from(salt?.value ?? '', salt?.encoding);
  return { hash: `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(saltBytes)}$${toBase64(tag)}` };
}
