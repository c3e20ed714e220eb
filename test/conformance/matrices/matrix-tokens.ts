/** Invalid tokens: each differs in one point from a valid token of a user with all roles. */
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { issueRefreshToken } from '../../../src/server/sessions/refresh-tokens.ts';
import type { TestServer } from '../../harness.ts';
import { userToken } from '../../server/operations/user-token.ts';

/** The server must have a product with this id. */
export const productId = 'matrix-product';

/** The payload of a token, unverified. */
export function decodePayload(token: string): JWTPayload {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as JWTPayload;
}

interface SigningOptions {
  readonly key?: CryptoKey;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** Returns rejected variants of a valid token, by what is invalid. */
export async function createInvalidTokens(server: TestServer, valid: string): Promise<Record<string, string>> {
  const { kid, alg } = server.appContext.keys.current();
  const ownKey = await readPrivateKey(server, kid);
  const claims = decodePayload(valid);
  const now = Number(claims.iat);
  const unrelatedKey = await generateKeyPair('ES256');
  const signed = (change: JWTPayload, { key, header = {} }: SigningOptions = {}) =>
    new SignJWT({ ...claims, ...change })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
      .sign(key ?? ownKey);
  const [head, , signature] = valid.split('.');
  return {
    expired: await signed({ iat: now - 7200, exp: now - 1 }),
    'not yet valid': await signed({ nbf: now + 3600 }),
    'of another audience': await signed({ aud: 'https://other.example' }),
    'of another issuer': await signed({ iss: 'https://other.example', aud: 'https://other.example' }),
    'signed with an unrelated key': await signed({}, { key: unrelatedKey.privateKey }),
    'with the key in its header (jwk)': await signed(
      {},
      { key: unrelatedKey.privateKey, header: { jwk: await exportJWK(unrelatedKey.publicKey) } },
    ),
    'of another kind (typ)': await signed({}, { header: { typ: 'JWT' } }),
    'without a signature (alg none)': new UnsecuredJWT(claims).encode(),
    'with other claims under its signature': `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'x' })).toString('base64url')}.${signature}`,
    'that is a refresh token': await createRefreshToken(server, String(claims.sid)),
    'that is a product token': await issueProductToken(server, String(claims.user_id)),
  };
}

async function readPrivateKey({ appContext }: TestServer, kid: string): Promise<CryptoKey> {
  const row = await appContext.store.signingKeys.get(kid);
  if (!row) throw new Error(`signing key not found: ${kid}`);
  return (await importJWK(row.privateJwk, row.alg)) as CryptoKey;
}

/** A valid refresh token of the session. */
async function createRefreshToken({ appContext }: TestServer, sessionId: string): Promise<string> {
  return appContext.store.transaction(async (tx) => {
    const session = await tx.sessions.get(sessionId);
    if (!session) throw new Error(`session not found: ${sessionId}`);
    return issueRefreshToken(tx, session, appContext);
  });
}

/** Issues a valid opaque token of a product through the API. */
async function issueProductToken(server: TestServer, userId: string): Promise<string> {
  const caller = server.as({ token: await userToken(server, { userId: `buyer-for-${userId}` }) });
  const { opaqueToken } = await caller.productAccesses.authorize({ body: { productId } });
  return opaqueToken;
}
