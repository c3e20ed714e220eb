/** Signs test tokens: access tokens whose claims, header or signature are wrong on purpose. */
import { createHmac } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import type { TestTokenAlgorithm, testTokenSignatures } from '../../contract/testing/test-tokens.ts';
import { type AccessClaims, accessTokenType } from './claims.ts';
import { createJwtSigner } from './jwt-signer.ts';
import type { KeyRing } from './keys.ts';

/** What differs from a normal token. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  readonly omit?: readonly string[] | undefined;
  /** Seconds from now, negative for the past. */
  readonly expiresIn?: number | undefined;
  readonly notBefore?: number | undefined;
  readonly alg?: TestTokenAlgorithm | undefined;
  readonly kid?: string | undefined;
  readonly typ?: string | undefined;
  readonly signature?: (typeof testTokenSignatures)[number] | undefined;
}

/** Lists the changes for the request log, without values of claims; empty for a normal token. */
export function describeChanges({ claims = {}, omit = [], ...others }: TokenChanges): string {
  const ofOthers = Object.entries(others).filter(([, value]) => value !== undefined);
  return [
    ...Object.keys(claims),
    ...omit.map((name) => `without ${name}`),
    ...ofOthers.map(([name, value]) => `${name}=${value}`),
  ].join(', ');
}

export function changeClaims(
  normal: AccessClaims,
  { claims = {}, omit = [], expiresIn, notBefore }: TokenChanges,
): Readonly<Record<string, unknown>> {
  const changed = {
    ...normal,
    ...(expiresIn === undefined ? {} : { exp: normal.iat + expiresIn }),
    ...(notBefore === undefined ? {} : { nbf: normal.iat + notBefore }),
    ...claims,
  };
  return Object.fromEntries(Object.entries(changed).filter(([name]) => !omit.includes(name)));
}

export async function signTestToken(claims: object, keys: KeyRing, changes: TokenChanges): Promise<string> {
  const token = await sign(claims, keys, changes);
  return changes.signature === 'broken' ? breakSignature(token) : token;
}

/** Signs with the key of the server, unless the changes require another key or none. */
async function sign(claims: object, keys: KeyRing, changes: TokenChanges): Promise<string> {
  const current = keys.current();
  const { alg = current.alg, kid = current.kid, typ = accessTokenType, signature } = changes;
  if (alg === 'none' || alg === 'HS256') {
    const unsigned = [{ alg, kid, typ }, claims].map(encode).join('.');
    return `${unsigned}.${alg === 'none' ? '' : await signWithPublicKey(unsigned, keys)}`;
  }
  const isOwn = alg === current.alg && signature !== 'wrong-key';
  const signer = isOwn ? current.signer : await createForeignSigner(alg, kid);
  return signer.sign(claims, { kid, typ });
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** The attack on verifiers that use the public key as the secret of an HMAC (RFC 8725, 2.1). */
async function signWithPublicKey(unsigned: string, keys: KeyRing): Promise<string> {
  return createHmac('sha256', await keys.currentPem())
    .update(unsigned)
    .digest('base64url');
}

async function createForeignSigner(alg: string, kid: string) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 3072 });
  return createJwtSigner({ kid, alg, privateJwk: { ...(await exportJWK(privateKey)) } });
}

function breakSignature(token: string): string {
  const at = token.lastIndexOf('.') + 1;
  const signature = Buffer.from(token.slice(at), 'base64url');
  signature[0] = (signature[0] ?? 0) ^ 1;
  return token.slice(0, at) + signature.toString('base64url');
}
