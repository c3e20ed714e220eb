/**
 * Signs access tokens and ID tokens: JWTs in the compact serialization (RFC 7515, 7.1). By node:crypto, since the WebCrypto of jose hands
 * each signature to another thread and back: by CPU time, logins of clients reach 0.102 of a bare server instead of 0.093.
 */
import { constants, createPrivateKey, type JsonWebKey, type SignKeyObjectInput, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlgorithm } from '../../contract/signing-algorithms.ts';
import type { SigningKey } from '../store/tables.ts';
import { accessTokenType } from './claims.ts';
import { fitsAlgorithm, rsaLengths } from './key-form.ts';

interface TokenHeader {
  readonly kid: string;
  readonly typ: string;
}

export interface JwtSigner {
  /** Signs these claims. They are all set: none is added. @param changes of the header, for test tokens */
  sign(claims: object, changes?: Partial<TokenHeader>): Promise<string>;
  /** The length of the token with these claims. */
  measure(claims: object): number;
}

interface SignatureScheme {
  /** Null for EdDSA, which hashes by itself. */
  readonly digest: string | null;
  readonly options?: Omit<SignKeyObjectInput, 'key'>;
  /** Converts the signature to that of a JWT. */
  readonly convert?: (signature: Buffer) => Buffer;
  /** A signature takes milliseconds: it runs in the thread pool. */
  readonly isSlow?: true;
}

/** By algorithm (RFC 7518, 3.3 to 3.5; RFC 8037, 3.1). */
const schemes: Readonly<Record<SigningAlgorithm, SignatureScheme>> = {
  ES256: { digest: 'sha256', convert: convertEcdsaSignature },
  EdDSA: { digest: null },
  RS256: { digest: 'sha256', isSlow: true },
  RS512: { digest: 'sha512', isSlow: true },
  PS256: {
    digest: 'sha256',
    options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
    isSlow: true,
  },
};

const signInThreadPool = promisify(sign);

/** @param typ of the tokens. @throws Error if the key or its algorithm cannot be used */
export function createJwtSigner(
  { kid, alg, privateJwk }: Pick<SigningKey, 'kid' | 'alg' | 'privateJwk'>,
  typ: string = accessTokenType,
): JwtSigner {
  const scheme: SignatureScheme | undefined = schemes[alg as SigningAlgorithm];
  if (scheme === undefined) throw new Error(`key ${kid} has the unknown algorithm ${alg}`);
  const { digest, options, convert, isSlow } = scheme;
  const privateKey = createPrivateKey({ key: privateJwk as JsonWebKey, format: 'jwk' });
  if (!fitsAlgorithm(privateKey, alg)) throw new Error(`key ${kid} does not fit ${alg}`);
  // The key alone is faster than an object with it: see `convertEcdsaSignature`.
  const key = options === undefined ? privateKey : { key: privateKey, ...options };
  const encodeHeader = (changes: Partial<TokenHeader>) => encode(JSON.stringify({ alg, kid, typ, ...changes }));
  const header = encodeHeader({});
  // That of RSA is as long as the modulus.
  const signatureLength = (privateKey.asymmetricKeyDetails?.modulusLength ?? 512) / 8;
  return {
    async sign(claims, changes) {
      const signed = `${changes ? encodeHeader(changes) : header}.${encode(JSON.stringify(claims))}`;
      const data = Buffer.from(signed);
      const signature = isSlow ? await signInThreadPool(digest, data, key) : sign(digest, data, key);
      return `${signed}.${(convert?.(signature) ?? signature).toString('base64url')}`;
    },
    measure: (claims) => measureToken(header, claims, signatureLength),
  };
}

/** Measures tokens that a generated key would sign. */
export function createSampleSigner(alg: SigningAlgorithm): JwtSigner {
  const header = encode(JSON.stringify({ alg, kid: sampleKeyId, typ: accessTokenType }));
  const signatureLength = schemes[alg].isSlow ? rsaLengths.min / 8 : 2 * integerLength;
  return {
    sign: () => Promise.reject(new Error('there is no key')),
    measure: (claims) => measureToken(header, claims, signatureLength),
  };
}

/** As long as the id of a key, which ends with a SHA-256 hash in base64url. */
const sampleKeyId = 'iam-standin-'.padEnd(12 + 43, '0');

function measureToken(header: string, claims: object, signatureLength: number): number {
  const claimsLength = Buffer.byteLength(JSON.stringify(claims));
  return header.length + measureEncoded(claimsLength) + measureEncoded(signatureLength) + 2;
}

/** The bytes of r, and of s, for the curve P-256. */
const integerLength = 32;

/**
 * Converts a signature of ES256 from DER, a SEQUENCE of the INTEGERs r and s, to their concatenation (RFC 7518, 3.4). Node
 * does so with the option `dsaEncoding`, but a signature with options takes 72 µs on Node 24, and one by the key alone 36.
 */
function convertEcdsaSignature(der: Buffer): Buffer {
  const signature = Buffer.alloc(2 * integerLength);
  // Both are so short that each length is one byte.
  const rEnd = 4 + der.readUInt8(3);
  copyInteger(der.subarray(4, rEnd), signature, integerLength);
  copyInteger(der.subarray(rEnd + 2), signature, 2 * integerLength);
  return signature;
}

/** Copies an INTEGER so that it ends at `end`. It may be shorter, or have a zero before a first bit of one. */
function copyInteger(integer: Buffer, target: Buffer, end: number): void {
  const digits = integer.subarray(-integerLength);
  digits.copy(target, end - digits.length);
}

/** The length of so many bytes in base64url without padding. */
export function measureEncoded(byteLength: number): number {
  return Math.ceil((Math.ceil(byteLength) * 4) / 3);
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
