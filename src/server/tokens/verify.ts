/**
 * Verifies access tokens. The cache contains only the result of the signature check and the claims: expiry is checked on
 * every request, and callers check the store. Cache keys are plain tokens: hashing them would not protect against anyone
 * who can read this memory, because it also contains the signing keys.
 */
import { type JWTHeaderParameters, jwtVerify } from 'jose';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { AccessClaims, accessTokenType, hasAudience, maxClockSkewSeconds } from './claims.ts';
import { explainRejection } from './explain.ts';
import type { KeyRing, VerificationKey } from './keys.ts';

export interface TokenVerifier {
  /**
   * The claims of a valid access token of this server; undefined otherwise, without a reason.
   * @throws StoreUnavailableError if another server may have the key of the token, and the store cannot be read
   */
  verify(token: string): Promise<AccessClaims | undefined> | AccessClaims | undefined;
  /** The same for a token of this server for any audience: for its introspection and revocation. */
  verifyForAnyAudience(token: string): Promise<AccessClaims | undefined> | AccessClaims | undefined;
  /** Explains for operators, in one sentence, why a token is rejected. Reads the token's content without trusting it. */
  explain(token: string): string;
}

interface VerifiedToken {
  readonly kid: string;
  readonly claims: AccessClaims;
}

/** `issuer` is also the audience of the server. `capacity` bounds the cache, which evicts the least recently used entry. */
export function createVerifier(options: {
  keys: KeyRing;
  clock: Clock;
  issuer: string;
  capacity?: number;
}): TokenVerifier {
  const { keys, clock, issuer, capacity = 10_000 } = options;
  const cache = new Map<string, VerifiedToken>();

  function findCached(token: string): VerifiedToken | undefined {
    const entry = cache.get(token);
    if (!entry) return undefined;
    cache.delete(token);
    if (!keys.find(entry.kid)) return undefined;
    cache.set(token, entry);
    return entry;
  }

  function cacheToken(token: string, verified: VerifiedToken): void {
    cache.set(token, verified);
    const oldest = cache.keys().next().value;
    if (cache.size > capacity && oldest !== undefined) cache.delete(oldest);
  }

  return {
    verify(token) {
      const cached = findCached(token);
      return cached ? claimsForServer(claimsIfCurrent(cached)) : verifyAndCache(token).then(claimsForServer);
    },
    verifyForAnyAudience(token) {
      const cached = findCached(token);
      return cached ? claimsIfCurrent(cached) : verifyAndCache(token);
    },
    explain: (token) => explainRejection(token, { keys, issuer, now: epochSeconds(clock) }),
  };

  async function verifyAndCache(token: string): Promise<AccessClaims | undefined> {
    const verified = await verifySignature(token, { keys, clock, issuer });
    if (!verified) return undefined;
    cacheToken(token, verified);
    return claimsIfCurrent(verified);
  }

  function claimsForServer(claims: AccessClaims | undefined): AccessClaims | undefined {
    return claims && hasAudience(claims, issuer) ? claims : undefined;
  }

  function claimsIfCurrent({ claims }: VerifiedToken): AccessClaims | undefined {
    return isWithinValidity(claims, epochSeconds(clock)) ? claims : undefined;
  }
}

async function verifySignature(
  token: string,
  { keys, clock, issuer }: { keys: KeyRing; clock: Clock; issuer: string },
): Promise<VerifiedToken | undefined> {
  if (!isCanonical(token)) return undefined;
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      async (header) => (await findVerificationKey(keys, header)).publicKey,
      {
        issuer,
        typ: accessTokenType,
        currentDate: clock.now(),
        requiredClaims: ['exp', 'iat', 'sub', 'jti'],
      },
    );
    const claims = AccessClaims.safeParse(payload);
    return claims.success ? { kid: protectedHeader.kid ?? '', claims: claims.data } : undefined;
  } catch (error) {
    // Without the store, nothing is known about the key.
    if (error instanceof StoreUnavailableError) throw error;
    return undefined;
  }
}

/** Accepts one spelling per token: decoders ignore padding, whitespace and unused bits at the end of a signature. */
function isCanonical(token: string): boolean {
  const [, signature] = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)$/.exec(token) ?? [];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/**
 * Finds the server's key by `kid` and accepts it for its own algorithm only. Payloads must be encoded (RFC 7797 does not
 * apply to JWTs). Other header parameters are ignored.
 */
async function findVerificationKey(keys: KeyRing, { kid, ...header }: JWTHeaderParameters): Promise<VerificationKey> {
  if (typeof kid !== 'string') throw new Error('no key id');
  let key = keys.find(kid);
  if (!key) {
    await keys.refresh();
    key = keys.find(kid);
  }
  if (!key || key.alg !== header.alg || 'b64' in header) throw new Error('unknown key');
  return key;
}

function isWithinValidity(claims: AccessClaims, now: number): boolean {
  return claims.exp > now && (claims.nbf ?? 0) <= now && claims.iat <= now + maxClockSkewSeconds;
}
