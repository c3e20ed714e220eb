/** The signing keys: made, kept in the store, imported once, and shown to verifiers as a JWK Set. */
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK } from 'jose';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { SigningKey } from '../store/tables.ts';

export const signingAlgorithms = ['ES256', 'RS256', 'RS512', 'PS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A key ready for use. `publicJwk` has public members only. */
export interface ImportedKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
}

export interface KeyRing {
  /** The key that signs what is issued now. */
  current(): ImportedKey;
  /** The key with this id, as long as tokens signed with it are taken. */
  find(kid: string): ImportedKey | undefined;
  /** All public keys, the current one first. */
  publicKeys(): readonly JWK[];
  /** The current public key as PEM (RFC 7468). */
  currentPem(): Promise<string>;
}

/** A new key pair for this algorithm; RSA keys have 3072 bits. The id is the key's thumbprint (RFC 7638). */
export async function makeSigningKey(alg: SigningAlgorithm, clock: Clock): Promise<SigningKey> {
  const pair = await generateKeyPair(alg, { extractable: true, modulusLength: 3072 });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const named = { kid, alg, use: 'sig' };
  return {
    kid,
    alg,
    current: true,
    privateJwk: { ...(await exportJWK(pair.privateKey)), ...named },
    publicJwk: { ...publicJwk, ...named },
    createdAt: clock.now().toISOString(),
  };
}

/** Loads the keys of a store; makes one where none is current for this algorithm. Older keys go on verifying. */
export async function openKeyRing(store: Store, alg: SigningAlgorithm, clock: Clock): Promise<KeyRing> {
  const rows = await store.signingKeys.list();
  const current = rows.find((row) => row.current && row.alg === alg) ?? (await makeCurrent(store, alg, clock));
  const others = rows.filter((row) => row.kid !== current.kid);
  const imported = await Promise.all([current, ...others].map(importKey));
  return keyRing(imported);
}

async function makeCurrent(store: Store, alg: SigningAlgorithm, clock: Clock): Promise<SigningKey> {
  const made = await makeSigningKey(alg, clock);
  await store.transaction(async (tx) => {
    for (const row of await tx.signingKeys.list()) {
      if (row.current) await tx.signingKeys.replace({ ...row, current: false });
    }
    await tx.signingKeys.insert(made);
  });
  return made;
}

async function importKey(row: SigningKey): Promise<ImportedKey> {
  const privateKey = await importJWK(row.privateJwk as JWK, row.alg);
  const publicKey = await importJWK(row.publicJwk as JWK, row.alg);
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array)
    throw new Error(`key ${row.kid} is symmetric`);
  return { kid: row.kid, alg: row.alg, privateKey, publicKey, publicJwk: row.publicJwk as JWK };
}

function keyRing(keys: readonly ImportedKey[]): KeyRing {
  const byId = new Map(keys.map((key) => [key.kid, key]));
  const [current] = keys;
  if (!current) throw new Error('a key ring holds at least one key');
  return {
    current: () => current,
    find: (kid) => byId.get(kid),
    publicKeys: () => keys.map((key) => key.publicJwk),
    currentPem: () => exportSPKI(current.publicKey),
  };
}
