/** Token revocation (RFC 7009): by any bearer of a token, or only by the client that it was issued to. */
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { hashSecret } from '../lib/secrets.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
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
 * @param issuedTo ignores tokens that were issued to another client; default: any client.
 */
export async function revokeToken(token: string, deps: RevocationDeps, issuedTo?: string): Promise<void> {
  const { store, verifier } = deps;
  const claims = await verifier.verify(token);
  if (claims && !isIssuedTo(issuedTo, claims.client_id)) return;
  if (claims) return store.transaction((tx) => revokeAccessToken(tx, claims, deps));
  const tokenHash = hashSecret(token);
  // Anyone may send any value: unknown tokens cause no write.
  if (!(await isRevocable(store, tokenHash, issuedTo))) return;
  await store.transaction(async (tx) => {
    // Checked again, because the session may have been transferred to another client in the meantime.
    if (!(await isRevocable(tx, tokenHash, issuedTo))) return;
    const refresh = await tx.refreshTokens.get(tokenHash);
    if (refresh) await endSession(tx, refresh.sessionId);
    await tx.opaqueTokens.delete(tokenHash);
  });
}

/** Whether a refresh token or product token with this hash was issued to the client. Reads the same for every token. */
async function isRevocable(
  reader: Pick<Reader, 'refreshTokens' | 'sessions' | 'opaqueTokens'>,
  tokenHash: string,
  issuedTo: string | undefined,
): Promise<boolean> {
  const refresh = await reader.refreshTokens.get(tokenHash);
  const session = await reader.sessions.get(refresh?.sessionId ?? '');
  const product = await reader.opaqueTokens.get(tokenHash);
  const owner = session?.clientId ?? product?.clientId;
  return owner !== undefined && isIssuedTo(issuedTo, owner);
}

function isIssuedTo(clientId: string | undefined, owner: string): boolean {
  return clientId === undefined || clientId === owner;
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
