/** Invalid tokens: each differs in one point from a valid token of a user with all roles. */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { issueRefreshToken } from '../../src/server/identity/sessions.ts';
import type { CurrentSigningKey } from '../../src/server/tokens/keys.ts';
import type { TestServer } from '../harness.ts';
import { userToken } from '../server/operations/user-token.ts';

/** A product that the server is to have. */
export const productId = 'matrix-product';

/** The payload of a token, unverified. */
export function decodePayload(token: string): JWTPayload {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as JWTPayload;
}

interface SigningOptions {
  readonly key?: CurrentSigningKey['privateKey'];
  readonly header?: Readonly<Record<string, unknown>>;
}

/** Bearer values that look like `good` and must open nothing, by what is wrong with them. */
export async function createInvalidTokens(server: TestServer, good: string): Promise<Record<string, string>> {
  const { kid, alg, privateKey } = server.appContext.keys.current();
  const claims = decodePayload(good);
  const now = Number(claims.iat);
  const foreign = await generateKeyPair('ES256');
  const signed = (change: JWTPayload, { key, header = {} }: SigningOptions = {}) =>
    new SignJWT({ ...claims, ...change })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
      .sign(key ?? privateKey);
  const [head, , signature] = good.split('.');
  return {
    expired: await signed({ iat: now - 7200, exp: now - 1 }),
    'not yet valid': await signed({ nbf: now + 3600 }),
    'of another audience': await signed({ aud: 'https://other.example' }),
    'of another issuer': await signed({ iss: 'https://other.example', aud: 'https://other.example' }),
    'signed with a foreign key': await signed({}, { key: foreign.privateKey }),
    'that brings its own key': await signed(
      {},
      { key: foreign.privateKey, header: { jwk: await exportJWK(foreign.publicKey) } },
    ),
    'of another kind (typ)': await signed({}, { header: { typ: 'JWT' } }),
    'without a signature (alg none)': new UnsecuredJWT(claims).encode(),
    'with other claims under its signature': `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'x' })).toString('base64url')}.${signature}`,
    'that is a refresh token': await createRefreshToken(server, String(claims.sid)),
    'that is a product token': await issueProductToken(server, String(claims.user_id)),
  };
}

/** A valid refresh token of the session. */
async function createRefreshToken({ appContext }: TestServer, sessionId: string): Promise<string> {
  return appContext.store.transaction(async (tx) => {
    const session = await tx.sessions.get(sessionId);
    if (!session) throw new Error(`there is no session ${sessionId}`);
    return issueRefreshToken(tx, session, appContext);
  });
}

/** A living opaque token of a product, had through the front door. */
async function issueProductToken(server: TestServer, userId: string): Promise<string> {
  const caller = server.as({ token: await userToken(server, { userId: `buyer-for-${userId}` }) });
  const { opaqueToken } = await caller.productAccesses.authorize({ body: { productId } });
  return opaqueToken;
}
