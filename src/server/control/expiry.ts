/** When something ends that a name is known of: a token, a code, a message, a session, a ticket. */

import { hashSecret } from '../identity/secrets.ts';
import { refreshTokenEnd } from '../identity/sessions.ts';
import type { Reader } from '../store/store.ts';
import type { AccessClaims } from '../tokens/claims.ts';
import type { TokenIssuer } from '../tokens/issue.ts';
import type { TokenVerifier } from '../tokens/verify.ts';

interface Tools {
  readonly store: Reader;
  readonly issuer: TokenIssuer;
  readonly verifier: TokenVerifier;
}

/**
 * The moment from which it is taken no more, in milliseconds since the epoch; undefined where nothing has this name.
 * Tokens and tickets go by themselves, access tokens also by their jti, codes by their challenge or their message.
 */
export async function expiryOf(name: string, tools: Tools): Promise<number | undefined> {
  const seconds =
    tools.issuer.endOf(name) ??
    (name.includes('.') ? await endOfToken(name, tools) : undefined) ??
    (await endById(name, tools.store)) ??
    (await endOfSecret(hashSecret(name), tools.store));
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Also of one that is over, as long as it is remembered. */
async function endOfToken(token: string, { issuer, verifier }: Tools): Promise<number | undefined> {
  return (await verifier.verify(token))?.exp ?? issuer.endOf(idIn(token));
}

/** What stands in the token; nothing is granted for it, so nobody has to have signed it. */
function idIn(token: string): string {
  try {
    const claims: Partial<AccessClaims> = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return String(claims.jti);
  } catch {
    return '';
  }
}

async function endById(id: string, store: Reader): Promise<number | undefined> {
  const message = await store.messages.get(id);
  if (message) return message.expiresAt === undefined ? undefined : Date.parse(message.expiresAt) / 1000;
  return (await store.codes.get(id))?.expiresAt ?? (await store.sessions.get(id))?.endsAt;
}

async function endOfSecret(hash: string, store: Reader): Promise<number | undefined> {
  const refresh = await store.refreshTokens.get(hash);
  const session = refresh && (await store.sessions.get(refresh.sessionId));
  if (refresh && session) return refreshTokenEnd(refresh, session);
  return (await store.tickets.get(hash))?.expiresAt ?? (await store.opaqueTokens.get(hash))?.expiresAt;
}
