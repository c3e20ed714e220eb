/**
 * Reads the file of the setting `signing-key`: one private key, in PEM (PKCS#8, PKCS#1 or SEC 1) or as JWK or JWK Set
 * (RFC 7517). Messages never contain a part of the file.
 */
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { SigningAlgorithm } from '../../contract/signing-algorithms.ts';
import { JsonError, parseJson } from '../../lib/json-text.ts';
import { maxSecretBytes, readTextFile, TextFileError } from '../../lib/text-file.ts';
import { describeTextError } from '../config/read-secret-file.ts';
import { SettingError } from '../config/settings.ts';
import { fitsAlgorithm, rsaLengths } from './key-form.ts';

/** A key pair that a key ring uses instead of a generated one. */
export interface ConfiguredSigningKey {
  readonly privateJwk: JsonWebKey;
  readonly publicJwk: JsonWebKey;
  /** Whether users other than the owner and the group of the file can read it. */
  readonly isWorldReadable: boolean;
}

interface SigningKeySettings {
  readonly signingKey: string | undefined;
  readonly signingAlg: SigningAlgorithm;
}

const rsa = `an RSA key of ${rsaLengths.min} to ${rsaLengths.max} bits`;

/** The keys that fit each algorithm. */
const requiredKeys: Readonly<Record<SigningAlgorithm, string>> = {
  ES256: 'an EC key with the curve P-256',
  EdDSA: 'an Ed25519 key',
  RS256: rsa,
  RS512: rsa,
  PS256: rsa,
};

/** @returns undefined without the setting. @throws SettingError if the file has no key that fits the algorithm. */
export async function readSigningKeyFile({
  signingKey: file,
  signingAlg,
}: SigningKeySettings): Promise<ConfiguredSigningKey | undefined> {
  if (file === undefined) return undefined;
  const { text, mode } = await readKeyFile(file);
  const privateKey = /^\s*\{/.test(text) ? parseJwk(text, file, signingAlg) : parsePem(text, file);
  assertFits(privateKey, file, signingAlg);
  assertPairMatches(privateKey, file);
  return {
    privateJwk: privateKey.export({ format: 'jwk' }),
    publicJwk: createPublicKey(privateKey).export({ format: 'jwk' }),
    // The mode has no meaning on Windows.
    isWorldReadable: process.platform !== 'win32' && (mode & 0o004) !== 0,
  };
}

async function readKeyFile(file: string): Promise<{ text: string; mode: number }> {
  try {
    return { text: await readTextFile(file, maxSecretBytes), mode: (await stat(file)).mode };
  } catch (error) {
    if (error instanceof TextFileError) throw new SettingError(`--signing-key ${describeTextError(file, error)}`);
    throw new SettingError(`--signing-key must name a readable file: ${(error as Error).message}`);
  }
}

function createKeyError(file: string, problem: string): SettingError {
  return new SettingError(`--signing-key ${file} ${problem}`);
}

function parsePem(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    // The labels of RFC 7468, 11 and RFC 1421, 4.6.1.1.
    const isEncrypted = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(text);
    throw createKeyError(
      file,
      isEncrypted ? 'is encrypted; decrypt it with openssl pkcs8' : 'must contain one private key, in PEM or as JWK',
    );
  }
}

type JsonKey = Readonly<Record<string, unknown>>;

function parseJwk(text: string, file: string, signingAlg: SigningAlgorithm): KeyObject {
  const key = selectKey(parseKeyJson(text, file), file);
  if (key.d === undefined)
    throw createKeyError(file, 'must contain a private key, and contains a public or symmetric one');
  if (key.use !== undefined && key.use !== 'sig') throw createKeyError(file, 'must contain a key with "use": "sig"');
  if (key.alg !== undefined && key.alg !== signingAlg)
    throw createKeyError(
      file,
      `contains a key for another algorithm than --signing-alg ${signingAlg}; set --signing-alg to the "alg" of the key`,
    );
  try {
    return createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
  } catch {
    throw createKeyError(file, 'must contain a valid JWK of a private key');
  }
}

function parseKeyJson(text: string, file: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw createKeyError(
      file,
      `must contain one private key, in PEM or as JWK: it is not valid JSON (${error.message})`,
    );
  }
}

/** The key itself, or the only one of a JWK Set: with several, it would be open which of them signs. */
function selectKey(json: unknown, file: string): JsonKey {
  const { keys } = json as { readonly keys?: unknown };
  if (!Array.isArray(keys)) return json as JsonKey;
  const [key, ...others] = keys as unknown[];
  if (typeof key !== 'object' || key === null || others.length > 0)
    throw createKeyError(file, `must contain one key; its JWK Set has ${keys.length}`);
  return key as JsonKey;
}

function assertFits(key: KeyObject, file: string, signingAlg: SigningAlgorithm): void {
  const { asymmetricKeyType, asymmetricKeyDetails: { namedCurve, modulusLength = 0 } = {} } = key;
  if (fitsAlgorithm(key, signingAlg)) return;
  const size = asymmetricKeyType === 'rsa' ? ` with ${modulusLength} bits` : namedCurve ? ` (${namedCurve})` : '';
  throw createKeyError(
    file,
    `contains a key of type ${asymmetricKeyType}${size}; --signing-alg ${signingAlg} needs ${requiredKeys[signingAlg]}`,
  );
}

/** The public members of a JWK are separate from the private ones: with a mismatch, every issued token would be rejected. */
function assertPairMatches(privateKey: KeyObject, file: string): void {
  const digest = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const data = Buffer.from('signing key');
  const isMatch = verify(digest, data, createPublicKey(privateKey), sign(digest, data, privateKey));
  if (!isMatch) throw createKeyError(file, 'contains a public key that does not belong to its private key');
}
