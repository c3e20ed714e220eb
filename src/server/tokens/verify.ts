/**
 * Verifies access tokens. The cache keeps the outcome of the signature check and the claims, nothing else: expiry is
 * looked at on every call, and what the store has to say is asked for by whoever calls. Its keys are the tokens as they
 * came: to hash them would hide nothing from who can read this memory, since the signing keys are in it.
 */
import { type JWTHeaderParameters, jwtVerify } from 'jose';
import { type Clock, epochSeconds } from '../clock.ts';
import { AccessClaims, accessTokenType, maxClockSkewSeconds } from './claims.ts';
import { explainRejection } from './explain.ts';
import type { KeyRing, VerificationKey } from './keys.ts';

export interface TokenVerifier {
  /** The claims of a token that is ours, of the right kind, unaltered and in its time; undefined otherwise, with no reason. */
  verify(token: string): Promise<AccessClaims | undefined> | AccessClaims | undefined;
  /** Why a token is not taken, in a sentence for who looks after the server; nothing in it is believed. */
  explain(token: string): string;
}

interface VerifiedToken {
  readonly kid: string;
  readonly claims: AccessClaims;
}

/** `issuer` is also the audience. `capacity` bounds the cache; the entry used longest ago goes first. */
export function createVerifier(options: {
  keys: KeyRing;
  clock: Clock;
  issuer: string;
  capacity?: number;
}): TokenVerifier {
  const { keys, clock, issuer, capacity = 10_000 } = options;
  const cache = new Map<string, VerifiedToken>();

  /** What was asked for last, in no need of being found or moved: a caller often comes several times in a row. */
  let latest: { readonly token: string; readonly verified: VerifiedToken } | undefined;

  function findCached(token: string): VerifiedToken | undefined {
    if (latest?.token === token && keys.find(latest.verified.kid)) return latest.verified;
    const entry = cache.get(token);
    if (!entry) return undefined;
    cache.delete(token);
    if (!keys.find(entry.kid)) return undefined;
    cache.set(token, entry);
    latest = { token, verified: entry };
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
      (header) => findVerificationKey(keys, header).publicKey,
      {
        issuer,
        audience: issuer,
        typ: accessTokenType,
        currentDate: clock.now(),
        requiredClaims: ['exp', 'iat', 'sub', 'jti'],
      },
    );
    const claims = AccessClaims.safeParse(payload);
    return claims.success ? { kid: protectedHeader.kid ?? '', claims: claims.data } : undefined;
  } catch {
    return undefined;
  }
}

/** One token, one text: decoders pass over padding, blanks and bits left over at the end of a signature. */
function isCanonical(token: string): boolean {
  const [, signature] = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)$/.exec(token) ?? [];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/**
 * The key is ours, named by `kid`, and is used with its own algorithm only. Payloads are encoded (RFC 7797 is not for
 * JWTs). What else a header carries is not looked at.
 */
function findVerificationKey(keys: KeyRing, header: JWTHeaderParameters): VerificationKey {
  const key = typeof header.kid === 'string' ? keys.find(header.kid) : undefined;
  if (!key || key.alg !== header.alg || 'b64' in header) throw new Error('no such key');
  return key;
}

function isWithinValidity(claims: AccessClaims, now: number): boolean {
  return claims.exp > now && (claims.nbf ?? 0) <= now && claims.iat <= now + maxClockSkewSeconds;
}
