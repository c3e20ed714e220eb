/** The signing keys: made, kept in the store, imported once, replaced, and shown to verifiers as a JWK Set. */
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK } from 'jose';
import { type Clock, epochSeconds } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { SigningKey } from '../store/tables.ts';

export const signingAlgorithms = ['ES256', 'RS256', 'RS512', 'PS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A key that tokens are verified with. `publicJwk` has public members only. */
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
  /** The key that signs what is issued now. */
  current(): CurrentSigningKey;
  /** The key with this id, as long as tokens signed with it are taken. */
  find(kid: string): VerificationKey | undefined;
  /** All public keys that tokens are verified with, the current one first. */
  publicKeys(): readonly JWK[];
  /** What `publicKeys` gave before the last rotation: what a verifier has that did not ask since. */
  publicKeysBefore(): readonly JWK[];
  /** The current public key as PEM (RFC 7468). */
  currentPem(): Promise<string>;
  /** Puts a new key of the same algorithm in the place of the current one. One rotation at a time. */
  rotate(): Promise<KeyRotation>;
  /** Takes the keys that the store has now, after they were put there by other means. */
  reload(): Promise<void>;
}

export interface KeyRotation {
  /** The key that signs from now on. */
  readonly kid: string;
  /** Keys that sign no more, with the epoch second until which they verify; undefined where that is not known. */
  readonly retired: readonly { readonly kid: string; readonly until: number | undefined }[];
}

export interface KeyRingDeps {
  readonly store: Store;
  readonly alg: SigningAlgorithm;
  readonly clock: Clock;
  /** The longest life, in seconds, of any token that is issued. */
  readonly longestToken: number;
}

/** A retired key stays for this much longer than the last token it signed: signing takes time, and clocks differ. */
const marginSeconds = 60;
/** What the settings allow at most: for keys of whose tokens nothing was noted. */
const maxConfigurableLifetime = 86_400;

/** The longest life that these settings give any token, in seconds. */
export function findLongestTokenLifetime(settings: {
  readonly clientTokenLifetime: number;
  readonly userTokenLifetime: number;
  readonly rememberedTokenLifetime: number;
}): number {
  return Math.max(settings.clientTokenLifetime, settings.userTokenLifetime, settings.rememberedTokenLifetime);
}

/** Before the id of each key, so that a verifier that meets it where it should not can tell whose it is. */
const keyPrefix = 'iam-standin-';

/** A new key pair for this algorithm; RSA keys have 3072 bits. The id ends with the key's thumbprint (RFC 7638). */
async function generateSigningKey(alg: string, { clock, longestToken }: KeyRingDeps): Promise<SigningKey> {
  const pair = await generateKeyPair(alg, { extractable: true, modulusLength: 3072 });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = `${keyPrefix}${await calculateJwkThumbprint(publicJwk)}`;
  const named = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    current: true,
    privateJwk: { ...(await exportJWK(pair.privateKey)), ...named },
    publicJwk: { ...publicJwk, ...named },
    createdAt: clock.now().toISOString(),
    longestToken,
  };
}

/** Loads the keys of a store; makes one where none is current for this algorithm. Older keys go on verifying. */
export async function openKeyRing(deps: KeyRingDeps): Promise<KeyRing> {
  return createKeyRing(await loadKeys(deps), deps);
}

/** @throws where one of the keys can't be used. */
export async function assertKeysUsable(rows: readonly SigningKey[]): Promise<void> {
  for (const row of rows) {
    await importPublicKey(row);
    if (row.current) await importKey(row, row.privateJwk);
  }
}

async function loadKeys(deps: KeyRingDeps): Promise<KeySet> {
  const rows = await deps.store.signingKeys.list();
  const found = rows.find((row) => row.current && row.alg === deps.alg);
  const current = found ? await storeLongestToken(found, deps) : await generateSigningKey(deps.alg, deps);
  const stored = found ? rows : await storeCurrentKey(current, deps);
  return importKeys(current, stored);
}

/** Tokens may live longer than at the start before; those that live shorter now were signed all the same. */
async function storeLongestToken(row: SigningKey, { store, longestToken }: KeyRingDeps): Promise<SigningKey> {
  if (longestToken <= (row.longestToken ?? maxConfigurableLifetime)) return row;
  const updated = { ...row, longestToken };
  await store.transaction((tx) => tx.signingKeys.replace(updated));
  return updated;
}

/** Keeps a new current key and clears away what verifies nothing any more. @returns all keys that are left. */
function storeCurrentKey(created: SigningKey, { store, clock }: KeyRingDeps): Promise<readonly SigningKey[]> {
  const now = epochSeconds(clock);
  return store.transaction(async (tx) => {
    for (const row of await tx.signingKeys.list()) {
      if (row.current) await tx.signingKeys.replace(retireKey(row, now));
      else if (isExpired(row, now)) await tx.signingKeys.delete(row.kid);
    }
    await tx.signingKeys.insert(created);
    return tx.signingKeys.list();
  });
}

/** Its private half is not needed any more, so it is not kept. */
function retireKey(row: SigningKey, now: number): SigningKey {
  const retiresAt = now + (row.longestToken ?? maxConfigurableLifetime) + marginSeconds;
  return { ...row, current: false, privateJwk: {}, retiresAt };
}

function isExpired({ retiresAt }: { readonly retiresAt?: number | undefined }, now: number): boolean {
  return (retiresAt ?? Number.POSITIVE_INFINITY) <= now;
}

/** What the ring holds: the current key, and by id all that verify. */
interface KeySet {
  readonly current: CurrentSigningKey;
  readonly byId: ReadonlyMap<string, StoredVerificationKey>;
}

interface StoredVerificationKey extends VerificationKey {
  readonly retiresAt?: number | undefined;
}

/** Imports the current key, and of all rows those that are others. */
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

  /** What is told of a rotation before the start: the keys that were there besides, unless there were none. */
  function earlierKeys(): readonly JWK[] {
    const others = publicKeys().slice(1);
    return others.length === 0 ? publicKeys() : others;
  }

  /** The new key signs only after it is durable; from one moment to the next both are there for verifying. */
  async function rotateKeys(): Promise<KeyRotation> {
    const created = await generateSigningKey(keys.current.alg, deps);
    const previous = publicKeys();
    const rows = await storeCurrentKey(created, deps);
    keys = await importKeys(created, rows);
    previousKeys = previous;
    const others = rows.filter((row) => !row.current);
    return { kid: created.kid, retired: others.map(({ kid, retiresAt }) => ({ kid, until: retiresAt })) };
  }

  /** Keys are changed by one at a time. */
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
    currentPem: () => exportSPKI(keys.current.publicKey),
    rotate: () => runSerially(rotateKeys),
    reload: () =>
      runSerially(async () => {
        keys = await loadKeys(deps);
        previousKeys = undefined;
      }),
  };
}
