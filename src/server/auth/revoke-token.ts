/** Token revocation (RFC 7009): by any bearer of a token, or only by the client that it was issued to. */

import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { hashSecret } from '../lib/secrets.ts';
import { endSession } from '../sessions/end-sessions.ts';
import { findRefreshToken, type RefreshTokenReader } from '../sessions/refresh-tokens.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Reader, Store } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import type { AccessClaims } from '../tokens/claims.ts';
import type { TokenVerifier } from '../tokens/verify.ts';
import { type GrowthDeps, reserveCreation } from './limit-creations.ts';

export interface RevocationDeps extends GrowthDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly source: RequestSource;
  readonly authentication: { readonly verifier: TokenVerifier };
}

/**
 * Ends the session of an access or refresh token; revokes an access token without a session, or a product token,
 * individually. Ignores unknown and expired tokens.
 * @param issuedTo ignores tokens that were issued to another client; default: any client.
 */
export async function revokeToken(token: string, deps: RevocationDeps, issuedTo?: string): Promise<void> {
  const { store, authentication } = deps;
  const claims = await authentication.verifier.verifyForAnyAudience(token);
  if (claims && !isIssuedTo(issuedTo, claims.client_id)) return;
  if (claims) return revokeAccessToken(claims, deps);
  const tokenHash = hashSecret(token);
  // Anyone may send any value: unknown tokens cause no write.
  if (!(await isRevocable(store, tokenHash, issuedTo))) return;
  await store.transaction(async (tx) => {
    // Checked again, because the session may have been transferred to another client in the meantime.
    if (!(await isRevocable(tx, tokenHash, issuedTo))) return;
    const refresh = await findRefreshToken(tx, tokenHash);
    if (refresh) await endSession(tx, refresh);
    await tx.opaqueTokens.delete(tokenHash);
  });
}

/** Whether a refresh token or product token with this hash was issued to the client. Reads the same whichever client that is. */
async function isRevocable(
  reader: RefreshTokenReader & Pick<Reader, 'sessions' | 'opaqueTokens'>,
  tokenHash: string,
  issuedTo: string | undefined,
): Promise<boolean> {
  const refresh = await findRefreshToken(reader, tokenHash);
  // A used one ends the session for its client only: others can have it from a log or a backup.
  const isUsable = refresh?.unused !== undefined || issuedTo !== undefined;
  const session = isUsable ? await reader.sessions.get(refresh?.sessionId ?? '') : undefined;
  const product = await reader.opaqueTokens.get(tokenHash);
  const owner = session?.clientId ?? product?.clientId;
  return owner !== undefined && isIssuedTo(issuedTo, owner);
}

function isIssuedTo(clientId: string | undefined, owner: string): boolean {
  return clientId === undefined || clientId === owner;
}

/**
 * A token without a session, or with less than it, needs a row until it expires. Beyond the growth limits of the client's owner
 * all tokens of the client, or of the session, are revoked instead: a revocation never fails, and the rows are limited.
 */
async function revokeAccessToken(claims: AccessClaims, deps: RevocationDeps): Promise<void> {
  const { store, clock } = deps;
  const { sid, jti, exp, client_id: clientId, narrowed } = claims;
  // A service that has a reduced token ends no login with it.
  if (sid !== undefined && narrowed === undefined) return store.transaction((tx) => endSession(tx, { sessionId: sid }));
  if (!(await findClientOfToken(store, claims))) return;
  const reservation = await reserveCreation(clientId, deps);
  const isInserted = await store.transaction(async (tx) => {
    const client = await findClientOfToken(tx, claims);
    if (!client) return false;
    if (!reservation && sid !== undefined) {
      await endSession(tx, { sessionId: sid });
      return false;
    }
    if (!reservation) {
      await tx.clients.replace({ ...client, tokenGeneration: (client.tokenGeneration ?? 0) + 1 });
      return false;
    }
    await clearExpired(tx.revokedTokens, ({ tokenId }) => tokenId, epochSeconds(clock), jti);
    await tx.revokedTokens.insert({ tokenId: jti, expiresAt: exp });
    return true;
  });
  if (!isInserted) reservation?.undo();
}

/** The client of a token, unless the token was revoked before. */
async function findClientOfToken(
  reader: Pick<Reader, 'clients' | 'revokedTokens'>,
  { jti, client_id: clientId, generation = 0 }: AccessClaims,
): Promise<Client | undefined> {
  if (await reader.revokedTokens.get(jti)) return undefined;
  const client = await reader.clients.get(clientId);
  return client && generation === (client.tokenGeneration ?? 0) ? client : undefined;
}
