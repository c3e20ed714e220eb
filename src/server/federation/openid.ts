/** Verifies ID tokens of OpenID providers (OpenID Connect Core, 2 and 3.1.3.7). */
import { decodeProtectedHeader, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Provider } from '../store/tables.ts';
import type { FederatedAssertion } from './federated-login.ts';
import type { JwkSetCache } from './jwk-set-cache.ts';
import { omitNull, type ProviderKeys } from './provider-keys.ts';
import { isSubject } from './subjects.ts';

export type OpenIdProvider = Extract<Provider, { kind: 'oidc' }>;

export interface IdToken {
  readonly idToken: string;
  /** The nonce that the client sent to the provider. */
  readonly nonce?: string | undefined;
  /** Epoch seconds: the user must have logged in at the provider since then. */
  readonly authenticatedSince?: number | undefined;
}

interface Deps {
  readonly keySets: JwkSetCache;
  readonly clock: Clock;
}

/** Asymmetric algorithms only: with a shared secret, each verifier could sign tokens. */
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
/** How far the provider's clock may differ, in seconds. There is no tolerance for expired tokens. */
const clockToleranceSeconds = 60;
/** Keys with which the signature of one token is compared. */
const maxKeysTried = 4;

/**
 * Verifies an ID token. Returns undefined for an invalid token, without the reason.
 * @throws IamError PROVIDER_UNAVAILABLE if the provider's keys cannot be fetched.
 */
export async function verifyIdToken(
  provider: OpenIdProvider,
  { idToken, nonce, authenticatedSince }: IdToken,
  deps: Deps,
): Promise<FederatedAssertion | undefined> {
  const claims = await verifyClaims(provider, idToken, deps);
  if (!claims || !hasValidClaims(claims, provider, nonce, epochSeconds(deps.clock))) return undefined;
  if (authenticatedSince !== undefined && !isAuthenticatedSince(claims, authenticatedSince)) return undefined;
  const { sub = '', exp = 0, email, email_verified: verified } = claims;
  return {
    provider,
    subject: sub,
    persistent: true,
    ...(typeof email === 'string' && isTrue(verified) ? { email } : {}),
    // Without the signature: the same claims can have several valid signatures.
    replayKey: `oidc\n${idToken.slice(0, idToken.lastIndexOf('.'))}`,
    expiresAt: Math.ceil(exp),
  };
}

/** Without the time, the provider may have used an older login (OpenID Connect Core, 3.1.2.1, max_age). */
function isAuthenticatedSince({ auth_time: authTime }: JWTPayload, since: number): boolean {
  return typeof authTime === 'number' && authTime >= since - clockToleranceSeconds;
}

/** Some providers send a text. Any other value, such as `"1"` or 1, is no proof of the address. */
function isTrue(verified: unknown): boolean {
  return verified === true || verified === 'true';
}

/** Verifies the signature with the provider's keys. An unknown key id causes a refresh of the keys. */
async function verifyClaims(provider: OpenIdProvider, idToken: string, { keySets, clock }: Deps) {
  const check = (keys: ProviderKeys) => verifySignedClaims(provider, idToken, keys, clock);
  const outcome = await check(await keySets.get(provider.jwksUri));
  if (outcome !== 'unknown key') return outcome;
  const renewed = await keySets.refresh(provider.jwksUri);
  const again = renewed && (await check(renewed));
  return again === 'unknown key' ? undefined : again;
}

/** @returns `unknown key` if the token names no key of the set and none without a name has signed it */
async function verifySignedClaims(
  provider: OpenIdProvider,
  idToken: string,
  keys: ProviderKeys,
  clock: Clock,
): Promise<JWTPayload | undefined | 'unknown key'> {
  const header = readHeader(idToken);
  if (header === undefined) return undefined;
  const options = {
    algorithms,
    issuer: provider.issuer,
    audience: provider.clientId,
    currentDate: clock.now(),
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['sub', 'exp', 'iat'],
  };
  let tried = 0;
  for await (const key of keys.candidates(header)) {
    try {
      const payload = omitNull((await jwtVerify(idToken, key, options)).payload);
      return isIdToken(header.typ, payload) ? payload : undefined;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return undefined;
    }
    tried += 1;
    if (tried === maxKeysTried) break;
  }
  return keys.names(header) ? undefined : 'unknown key';
}

/** @returns undefined if the token has none, or another algorithm */
function readHeader(idToken: string): JWTHeaderParameters | undefined {
  try {
    const { alg = '', ...header } = omitNull(decodeProtectedHeader(idToken));
    return algorithms.includes(alg) ? { ...header, alg } : undefined;
  } catch {
    return undefined;
  }
}

/** Providers sign other tokens with the same keys: access tokens (RFC 9068) and logout tokens (Back-Channel Logout). */
function isIdToken(type: string | undefined, { events }: JWTPayload): boolean {
  return (type === undefined || /^(application\/)?jwt$/i.test(type)) && events === undefined;
}

/** Claim checks that the library does not perform, or performs more leniently. */
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
