/** Token revocation (RFC 7009): any bearer of a token may revoke it. */
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { hashSecret } from '../lib/secrets.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { AccessClaims } from '../tokens/claims.ts';
import type { TokenVerifier } from '../tokens/verify.ts';
import { endSession } from './end-sessions.ts';

export interface RevocationDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly verifier: TokenVerifier;
}

/**
 * Ends the session of an access or refresh token; revokes an access token without a session, or a product token,
 * individually. Ignores unknown and expired tokens.
 */
export async function revokeToken(token: string, deps: RevocationDeps): Promise<void> {
  const { store, verifier } = deps;
  const claims = await verifier.verify(token);
  if (claims) return store.transaction((tx) => revokeAccessToken(tx, claims, deps));
  const tokenHash = hashSecret(token);
  const refresh = await store.refreshTokens.get(tokenHash);
  const isOpaque = (await store.opaqueTokens.get(tokenHash)) !== undefined;
  // Anyone may send any value: unknown tokens cause no write.
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
