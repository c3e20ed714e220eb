/** Revocation (RFC 7009): whoever holds a token can end what it is good for. */
import { type Clock, epochSeconds } from '../clock.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { AccessClaims } from '../tokens/claims.ts';
import type { TokenVerifier } from '../tokens/verify.ts';
import { clearExpired } from './clear-expired.ts';
import { hashSecret } from './secrets.ts';
import { endSession } from './sessions.ts';

export interface RevocationDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly verifier: TokenVerifier;
}

/**
 * Ends the session of an access or refresh token; an access token without one, and a product token, by themselves.
 * What is no token, or none any more, is left at that.
 */
export async function revokeToken(token: string, deps: RevocationDeps): Promise<void> {
  const { store, verifier } = deps;
  const claims = await verifier.verify(token);
  if (claims) return store.transaction((tx) => revokeAccessToken(tx, claims, deps));
  const tokenHash = hashSecret(token);
  const refresh = await store.refreshTokens.get(tokenHash);
  const isOpaque = (await store.opaqueTokens.get(tokenHash)) !== undefined;
  // Anybody may send anything here: what is unknown costs no write.
  if (!refresh && !isOpaque) return;
  await store.transaction(async (tx) => {
    if (refresh) await endSession(tx, refresh.sessionId);
    await tx.opaqueTokens.delete(tokenHash);
  });
}

async function revokeAccessToken(
  tx: Transaction,
  { sid, jti, exp }: AccessClaims,
  { clock }: RevocationDeps,
): Promise<void> {
  if (sid !== undefined) return endSession(tx, sid);
  if (await tx.revokedTokens.get(jti)) return;
  await clearExpired(tx.revokedTokens, ({ tokenId }) => tokenId, epochSeconds(clock), jti);
  await tx.revokedTokens.insert({ tokenId: jti, expiresAt: exp });
}
