/** Verifies access tokens with jose. Loaded only by `iam token inspect --verify`. */
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';

/**
 * Verifies signature, type and expiry of an access token (RFC 9068) with the keys of its server.
 * @returns the claims
 * @throws JOSEError if the token is not valid
 */
export async function verifyToken(token: string, keys: JSONWebKeySet, now: number): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    typ: 'at+jwt',
    currentDate: new Date(now),
    requiredClaims: ['exp', 'sub'],
  });
  return payload;
}
