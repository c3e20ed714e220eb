/** ID tokens of OpenID providers as proofs (OpenID Connect Core, 2 and 3.1.3.7). */
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Clock, epochSeconds } from '../../clock.ts';
import type { FederatedAssertion } from '../../identity/federated-login.ts';
import type { Provider } from '../../store/tables.ts';
import type { JwkSetCache } from './jwk-set-cache.ts';

export type OpenIdProvider = Extract<Provider, { kind: 'oidc' }>;

export interface IdToken {
  readonly idToken: string;
  /** What the client had the provider put into the token. */
  readonly nonce?: string | undefined;
}

interface Deps {
  readonly keySets: JwkSetCache;
  readonly clock: Clock;
}

/** Each by key pair: with a shared secret, whoever checks could sign as well. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** By how much the provider's clock may be ahead of ours, in seconds. What is over by our clock is over. */
const clockToleranceSeconds = 60;
const maxSubjectLength = 255;

/**
 * Whom an ID token proves. Undefined where anything is wrong with it; what that is, is not told.
 * @throws IamError PROVIDER_UNAVAILABLE where the provider's keys are needed and out of reach.
 */
export async function verifyIdToken(
  provider: OpenIdProvider,
  { idToken, nonce }: IdToken,
  deps: Deps,
): Promise<FederatedAssertion | undefined> {
  const claims = await verifyClaims(provider, idToken, deps);
  if (!claims || !hasValidClaims(claims, provider, nonce, epochSeconds(deps.clock))) return undefined;
  const { sub = '', exp = 0, email, email_verified: verified } = claims;
  return {
    provider,
    subject: sub,
    persistent: true,
    ...(typeof email === 'string' && verified === true ? { email } : {}),
    // The signature is left out: the same token can be written with another.
    replayKey: `oidc\n${idToken.slice(0, idToken.lastIndexOf('.'))}`,
    expiresAt: Math.ceil(exp),
  };
}

/** The claims of a token that one of the provider's keys signed. A key that is not known may be a new one. */
async function verifyClaims(provider: OpenIdProvider, idToken: string, { keySets, clock }: Deps) {
  const check = (keys: JWTVerifyGetKey) => verifySignedClaims(provider, idToken, keys, clock);
  const outcome = await check(await keySets.get(provider.jwksUri));
  if (outcome !== 'no such key') return outcome;
  const renewed = await keySets.refresh(provider.jwksUri);
  const again = renewed && (await check(renewed));
  return again === 'no such key' ? undefined : again;
}

async function verifySignedClaims(
  { issuer, clientId }: OpenIdProvider,
  idToken: string,
  keys: JWTVerifyGetKey,
  clock: Clock,
): Promise<JWTPayload | undefined | 'no such key'> {
  try {
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      algorithms,
      issuer,
      audience: clientId,
      currentDate: clock.now(),
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['sub', 'exp', 'iat'],
    });
    return isIdToken(protectedHeader.typ, payload) ? payload : undefined;
  } catch (error) {
    return error instanceof errors.JWKSNoMatchingKey ? 'no such key' : undefined;
  }
}

/** Providers sign other tokens with the same keys: to call resources (RFC 9068), to end sessions (Back-Channel Logout). */
function isIdToken(type: string | undefined, { events }: JWTPayload): boolean {
  return (type === undefined || /^(application\/)?jwt$/i.test(type)) && events === undefined;
}

/** What the library does not look at, or more generously. */
function hasValidClaims(
  claims: JWTPayload,
  { clientId }: OpenIdProvider,
  nonce: string | undefined,
  now: number,
): boolean {
  const { sub, exp = 0, iat = 0, aud, azp } = claims;
  const several = Array.isArray(aud) && aud.length > 1;
  return (
    exp > now &&
    Number.isSafeInteger(Math.ceil(exp)) &&
    iat <= now + clockToleranceSeconds &&
    (azp === undefined ? !several : azp === clientId) &&
    claims.nonce === nonce &&
    isSubject(sub)
  );
}

/** A name that can be kept and compared: not empty, of one line, not endless. */
function isSubject(sub: unknown): boolean {
  return typeof sub === 'string' && sub.length <= maxSubjectLength && sub.trim() !== '' && !/\p{Control}/u.test(sub);
}
