/** Verifies ID tokens of OpenID providers (OpenID Connect Core, 2 and 3.1.3.7). */
import {
  type CryptoKey,
  decodeProtectedHeader,
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Provider } from '../store/tables.ts';
import { createProofError, type FederatedAssertion } from './federated-login.ts';
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
 * Verifies an ID token.
 * @throws IamError PROOF_INVALID, with the reason for operators; PROVIDER_UNAVAILABLE if the provider's keys cannot be fetched.
 */
export async function verifyIdToken(
  provider: OpenIdProvider,
  { idToken, ...expected }: IdToken,
  deps: Deps,
): Promise<FederatedAssertion> {
  const claims = await verifyClaims(provider, idToken, deps);
  const now = epochSeconds(deps.clock);
  const wrong = findWrongClaim(claims, provider, expected, now);
  if (wrong !== undefined) throw createProofError(`The claim ${wrong} of the ID token is not the expected one.`);
  const { sub = '', exp = 0, email, email_verified: verified, auth_time: authTime } = claims;
  const { authenticatedSince = 0 } = expected;
  return {
    provider,
    subject: sub,
    persistent: true,
    ...(typeof email === 'string' && isTrue(verified) ? { email } : {}),
    // Between what was verified and now, as the clock of the provider can differ.
    ...(typeof authTime === 'number'
      ? { authenticatedAt: Math.min(Math.max(Math.floor(authTime), authenticatedSince), now) }
      : {}),
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
async function verifyClaims(provider: OpenIdProvider, idToken: string, { keySets, clock }: Deps): Promise<JWTPayload> {
  const check = (keys: ProviderKeys) => verifySignedClaims(provider, idToken, keys, clock);
  const claims = await check(await keySets.get(provider.jwksUri));
  if (claims) return claims;
  const renewed = await keySets.refresh(provider.jwksUri);
  const again = renewed && (await check(renewed));
  if (!again) throw createProofError('No key of the provider has signed the ID token.');
  return again;
}

/** @returns undefined if the token names no key of the set and none without a name has signed it */
async function verifySignedClaims(
  provider: OpenIdProvider,
  idToken: string,
  keys: ProviderKeys,
  clock: Clock,
): Promise<JWTPayload | undefined> {
  const header = readHeader(idToken);
  if (header === undefined) throw createProofError('The ID token has no asymmetric algorithm.');
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
    const payload = await verifyWithKey(idToken, key, options);
    if (payload) {
      if (!isIdToken(header.typ, payload)) throw createProofError('The token of the provider is not an ID token.');
      return payload;
    }
    tried += 1;
    if (tried === maxKeysTried) break;
  }
  if (keys.names(header)) throw createProofError('The key that the ID token names has not signed it.');
  return undefined;
}

/** @returns undefined if another key has signed it */
async function verifyWithKey(
  idToken: string,
  key: CryptoKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  try {
    return omitNull((await jwtVerify(idToken, key, options)).payload);
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return undefined;
    throw createProofError(`The ID token is not valid: ${(error as Error).message}.`);
  }
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

/** The first claim that is wrong. The library does not check these, or more leniently. */
function findWrongClaim(
  claims: JWTPayload,
  { clientId }: OpenIdProvider,
  { nonce, authenticatedSince }: Omit<IdToken, 'idToken'>,
  now: number,
): string | undefined {
  const { sub, exp = 0, iat = 0, aud, azp } = claims;
  const several = Array.isArray(aud) && aud.length > 1;
  const isValid = {
    exp: exp > now && Number.isSafeInteger(Math.ceil(exp)),
    iat: iat <= now + clockToleranceSeconds,
    azp: azp === undefined ? !several : azp === clientId,
    nonce: claims.nonce === nonce,
    sub: isSubject(sub),
    auth_time: authenticatedSince === undefined || isAuthenticatedSince(claims, authenticatedSince),
  };
  return Object.entries(isValid).find(([, valid]) => !valid)?.[0];
}
