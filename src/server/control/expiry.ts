/** Looks up when a token, code, message, session or one-time token expires. */

import { hashSecret } from '../lib/secrets.ts';
import { computeRefreshTokenExpiry } from '../sessions/refresh-tokens.ts';
import type { Reader } from '../store/store.ts';
import type { AccessClaims } from '../tokens/claims.ts';
import type { TokenIssuer } from '../tokens/issue.ts';
import type { TokenVerifier } from '../tokens/verify.ts';

interface ExpiryDeps {
  readonly store: Reader;
  readonly issuer: TokenIssuer;
  readonly verifier: TokenVerifier;
}

/**
 * Returns the expiry in milliseconds since the epoch; undefined if nothing has this name. Tokens and one-time tokens are
 * looked up by their value, access tokens also by their jti, codes by their challenge or their message.
 */
export async function findExpiry(name: string, deps: ExpiryDeps): Promise<number | undefined> {
  const seconds =
    deps.issuer.findExpiry(name) ??
    (name.includes('.') ? await findTokenEnd(name, deps) : undefined) ??
    (await findEndById(name, deps.store)) ??
    (await findSecretEnd(hashSecret(name), deps.store));
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Also finds an expired token, as long as the issuer still has its id. */
async function findTokenEnd(token: string, { issuer, verifier }: ExpiryDeps): Promise<number | undefined> {
  return (await verifier.verifyForAnyAudience(token))?.exp ?? issuer.findExpiry(readTokenId(token));
}

/** Reads the jti without verifying the signature: it grants nothing here. */
function readTokenId(token: string): string {
  try {
    const claims: Partial<AccessClaims> = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return String(claims.jti);
  } catch {
    return '';
  }
}

async function findEndById(id: string, store: Reader): Promise<number | undefined> {
  const message = await store.messages.get(id);
  if (message) return message.expiresAt === undefined ? undefined : Date.parse(message.expiresAt) / 1000;
  return (await store.codes.get(id))?.expiresAt ?? (await store.sessions.get(id))?.endsAt;
}

async function findSecretEnd(hash: string, store: Reader): Promise<number | undefined> {
  const refresh = await store.refreshTokens.get(hash);
  const session = refresh && (await store.sessions.get(refresh.sessionId));
  if (refresh && session) return computeRefreshTokenExpiry(refresh, session);
  return (await store.tickets.get(hash))?.expiresAt ?? (await store.opaqueTokens.get(hash))?.expiresAt;
}
