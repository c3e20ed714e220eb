/** Signing keys: generated, stored, imported once, rotated, and published as a JWK Set (RFC 7517). */
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK } from 'jose';
import type { SigningAlgorithm } from '../../contract/signing-algorithms.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import type { SigningKey } from '../store/tables.ts';
import type { ConfiguredSigningKey } from './signing-key-file.ts';

/** A key that verifies tokens. `publicJwk` has public members only. */
export interface VerificationKey {
  readonly kid: string;
  readonly alg: string;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** The key that signs. */
export interface CurrentSigningKey extends VerificationKey {
  readonly privateKey: CryptoKey;
}

export interface KeyRing {
  /** The key that signs new tokens. */
  current(): CurrentSigningKey;
  /** The key with this id, as long as tokens signed with it are accepted. */
  find(kid: string): VerificationKey | undefined;
  /** All public keys that verify tokens, the current one first. */
  publicKeys(): readonly JWK[];
  /** The result of `publicKeys` before the last rotation: the keys of a verifier with a stale cache. */
  publicKeysBefore(): readonly JWK[];
  /** The current public key as PEM (RFC 7468). */
  currentPem(): Promise<string>;
  /** Replaces the current key with a new one of the same algorithm. Rotations run one at a time. */
  rotate(): Promise<KeyRotation>;
  /** Reads the keys of the store again, after it was replaced. */
  reload(): Promise<void>;
}

export interface KeyRotation {
  /** The key that signs from now on. */
  readonly kid: string;
  /** Keys that no longer sign, with the epoch second until which they verify; undefined if unknown. */
  readonly retired: readonly { readonly kid: string; readonly until: number | undefined }[];
}

export interface KeyRingDeps {
  readonly store: Store;
  readonly alg: SigningAlgorithm;
  readonly clock: Clock;
  /** Maximum lifetime of any issued token, in seconds. */
  readonly longestToken: number;
  /** Signs after each start instead of a generated key. */
  readonly configuredKey?: Pick<ConfiguredSigningKey, 'privateJwk' | 'publicJwk'> | undefined;
}

/** A retired key remains valid this much longer than its last token is valid, because signing takes time and clocks differ. */
export const retirementMarginSeconds = 60;
/** The maximum lifetime that the settings allow; used for keys without a recorded one. */
export const maxConfigurableLifetimeSeconds = 86_400;

/** The maximum token lifetime of these settings, in seconds. */
export function findLongestTokenLifetime(settings: {
  readonly clientTokenLifetime: number;
  readonly userTokenLifetime: number;
  readonly rememberedTokenLifetime: number;
}): number {
  return Math.max(settings.clientTokenLifetime, settings.userTokenLifetime, settings.rememberedTokenLifetime);
}

/** Prefix of each key id, so that its origin is recognizable wherever it appears. */
const keyPrefix = 'iam-standin-';

/** Generates a key pair for this algorithm; RSA keys have 3072 bits. */
async function generateSigningKey(alg: string, deps: KeyRingDeps): Promise<SigningKey> {
  const pair = await generateKeyPair(alg, { extractable: true, modulusLength: 3072 });
  const [privateJwk, publicJwk] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)]);
  return createSigningKey(alg, { privateJwk, publicJwk }, deps);
}

/** The id ends with the key's thumbprint (RFC 7638), so the same key always has the same id. */
async function createSigningKey(
  alg: string,
  { privateJwk, publicJwk }: { readonly privateJwk: JWK; readonly publicJwk: JWK },
  { clock, longestToken }: KeyRingDeps,
): Promise<SigningKey> {
  const kid = `${keyPrefix}${await calculateJwkThumbprint(publicJwk)}`;
  const keyFields = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    current: true,
    privateJwk: { ...privateJwk, ...keyFields },
    publicJwk: { ...publicJwk, ...keyFields },
    createdAt: clock.now().toISOString(),
    longestToken,
  };
}

/**
 * Loads the keys of a store. If none is current for this algorithm, or another one than the configured key, that key or a
 * generated one becomes current. Older keys continue to verify.
 */
export async function openKeyRing(deps: KeyRingDeps): Promise<KeyRing> {
  return createKeyRing(await loadKeys(deps), deps);
}

/** @throws Error if one of the keys cannot be imported. */
export async function assertKeysUsable(rows: readonly SigningKey[]): Promise<void> {
  for (const row of rows) {
    await importPublicKey(row);
    if (row.current) await importKey(row, row.privateJwk);
  }
}

async function loadKeys(deps: KeyRingDeps): Promise<KeySet> {
  const rows = await deps.store.signingKeys.list();
  const configured = deps.configuredKey && (await createSigningKey(deps.alg, deps.configuredKey, deps));
  const existing = rows.find(
    ({ current, alg, kid }) => current && alg === deps.alg && (configured === undefined || configured.kid === kid),
  );
  const current = existing
    ? await storeLongestToken(existing, deps)
    : (configured ?? (await generateSigningKey(deps.alg, deps)));
  const stored = existing ? rows : await storeCurrentKey(current, deps);
  return importKeys(current, stored);
}

/** Records a longer token lifetime. A shorter one is not recorded, because earlier tokens have the longer lifetime. */
async function storeLongestToken(row: SigningKey, { store, longestToken }: KeyRingDeps): Promise<SigningKey> {
  if (longestToken <= (row.longestToken ?? maxConfigurableLifetimeSeconds)) return row;
  const updated = { ...row, longestToken };
  await store.transaction((tx) => tx.signingKeys.replace(updated));
  return updated;
}

/**
 * Stores a current key, retires the previous one and deletes expired keys. A retired key that becomes current again
 * replaces its row. @returns all remaining keys.
 */
function storeCurrentKey(created: SigningKey, { store, clock }: KeyRingDeps): Promise<readonly SigningKey[]> {
  const now = epochSeconds(clock);
  return store.transaction(async (tx) => {
    for (const row of await tx.signingKeys.list()) {
      if (row.kid === created.kid) await tx.signingKeys.delete(row.kid);
      else if (row.current) await tx.signingKeys.replace(retireKey(row, now));
      else if (isExpired(row, now)) await tx.signingKeys.delete(row.kid);
    }
    await tx.signingKeys.insert(created);
    return tx.signingKeys.list();
  });
}

/** The private key is no longer needed and is deleted. */
function retireKey(row: SigningKey, now: number): SigningKey {
  const retiresAt = now + (row.longestToken ?? maxConfigurableLifetimeSeconds) + retirementMarginSeconds;
  return { ...row, current: false, privateJwk: {}, retiresAt };
}

function isExpired({ retiresAt }: { readonly retiresAt?: number | undefined }, now: number): boolean {
  return (retiresAt ?? Number.POSITIVE_INFINITY) <= now;
}

/** The current key, and all verification keys by id. */
interface KeySet {
  readonly current: CurrentSigningKey;
  readonly byId: ReadonlyMap<string, StoredVerificationKey>;
}

interface StoredVerificationKey extends VerificationKey {
  readonly retiresAt?: number | undefined;
}

/** Imports the current key and the other keys of the rows. */
async function importKeys(current: SigningKey, rows: readonly SigningKey[]): Promise<KeySet> {
  const privateKey = await importKey(current, current.privateJwk);
  const own = await importPublicKey(current);
  const others = await Promise.all(rows.filter(({ kid }) => kid !== current.kid).map(importPublicKey));
  return {
    current: { ...own, privateKey },
    byId: new Map([own, ...others].map((key) => [key.kid, key])),
  };
}

async function importPublicKey(row: SigningKey): Promise<StoredVerificationKey> {
  const publicKey = await importKey(row, row.publicJwk);
  return { kid: row.kid, alg: row.alg, publicKey, publicJwk: row.publicJwk as JWK, retiresAt: row.retiresAt };
}

async function importKey({ kid, alg }: SigningKey, jwk: Readonly<Record<string, unknown>>): Promise<CryptoKey> {
  const key = await importJWK(jwk as JWK, alg);
  if (key instanceof Uint8Array) throw new Error(`key ${kid} is symmetric`);
  return key;
}

function createKeyRing(first: KeySet, deps: KeyRingDeps): KeyRing {
  let keys = first;
  let lastChange: Promise<unknown> = Promise.resolve();
  let previousKeys: readonly JWK[] | undefined;
  const isActive = (key: StoredVerificationKey) => !isExpired(key, epochSeconds(deps.clock));

  function publicKeys(): JWK[] {
    return [...keys.byId.values()].filter(isActive).map(({ publicJwk }) => publicJwk);
  }

  /** `publicKeysBefore` without a rotation since the start: the older keys, or all if there are none. */
  function earlierKeys(): readonly JWK[] {
    const others = publicKeys().slice(1);
    return others.length === 0 ? publicKeys() : others;
  }

  /** The new key signs only after it is durable. The set of verification keys is replaced in one step. */
  async function rotateKeys(): Promise<KeyRotation> {
    const created = await generateSigningKey(keys.current.alg, deps);
    const previous = publicKeys();
    const rows = await storeCurrentKey(created, deps);
    keys = await importKeys(created, rows);
    previousKeys = previous;
    const others = rows.filter((row) => !row.current);
    return { kid: created.kid, retired: others.map(({ kid, retiresAt }) => ({ kid, until: retiresAt })) };
  }

  /** Runs key changes one at a time. */
  function runSerially<Result>(work: () => Promise<Result>): Promise<Result> {
    const change = lastChange.then(work);
    lastChange = change.catch(() => undefined);
    return change;
  }

  return {
    current: () => keys.current,
    find(kid) {
      const key = keys.byId.get(kid);
      return key && isActive(key) ? key : undefined;
    },
    publicKeys,
    publicKeysBefore: () => previousKeys ?? earlierKeys(),
    currentPem: async () => `${await exportSPKI(keys.current.publicKey)}\n`,
    rotate: () => runSerially(rotateKeys),
    reload: () =>
      runSerially(async () => {
        keys = await loadKeys(deps);
        previousKeys = undefined;
      }),
  };
}
