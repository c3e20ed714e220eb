/** New signing keys, and how long they remain valid after they are replaced. */
import type { JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { Clock } from '../lib/clock.ts';
import type { SigningKey } from '../store/tables.ts';
import type { KeySeries } from './key-rotation.ts';

export interface GenerateKeyDeps {
  readonly clock: Clock;
  /** Maximum lifetime of tokens signed with a key of access tokens, in seconds. */
  readonly longestToken: number;
}

/** The lifetime of ID tokens, in seconds. */
export const idTokenLifetime = 3600;

/** The maximum lifetime of tokens with these settings, in seconds. The key of access tokens can sign ID tokens as well. */
export function findLongestTokenLifetime(settings: {
  readonly clientTokenLifetime: number;
  readonly userTokenLifetime: number;
  readonly rememberedTokenLifetime: number;
}): number {
  const { clientTokenLifetime, userTokenLifetime, rememberedTokenLifetime } = settings;
  return Math.max(clientTokenLifetime, userTokenLifetime, rememberedTokenLifetime, idTokenLifetime);
}

/** Prefix of each key id, so that its origin is recognizable wherever it appears. */
const keyPrefix = 'iam-standin-';

/** Generates a key pair for this algorithm, in the thread pool; RSA keys have 3072 bits. */
export async function generateSigningKey(series: KeySeries, deps: GenerateKeyDeps): Promise<SigningKey> {
  const pair = await generateKeyPair(series.alg, { extractable: true, modulusLength: 3072 });
  const [privateJwk, publicJwk] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)]);
  return createSigningKey(series, { privateJwk, publicJwk }, deps);
}

/** The id ends with the key's thumbprint (RFC 7638), so the same key always has the same id. */
export async function createSigningKey(
  { alg, purpose }: KeySeries,
  { privateJwk, publicJwk }: { readonly privateJwk: JWK; readonly publicJwk: JWK },
  { clock, longestToken }: GenerateKeyDeps,
): Promise<SigningKey> {
  const kid = `${keyPrefix}${await calculateJwkThumbprint(publicJwk)}`;
  const keyFields = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    ...(purpose && { purpose }),
    current: true,
    privateJwk: { ...privateJwk, ...keyFields },
    publicJwk: { ...publicJwk, ...keyFields },
    createdAt: clock.now().toISOString(),
    longestToken: purpose ? idTokenLifetime : longestToken,
  };
}
