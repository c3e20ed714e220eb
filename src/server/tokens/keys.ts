/** The signing keys: made, kept in the store, imported once, replaced, and shown to verifiers as a JWK Set. */
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK } from 'jose';
import { type Clock, epochSeconds } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { SigningKey } from '../store/tables.ts';

export const signingAlgorithms = ['ES256', 'RS256', 'RS512', 'PS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A key that tokens are verified with. `publicJwk` has public members only. */
export interface ImportedKey {
  readonly kid: string;
  readonly alg: string;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** The key that signs. */
export interface CurrentKey extends ImportedKey {
  readonly privateKey: CryptoKey;
}

export interface KeyRing {
  /** The key that signs what is issued now. */
  current(): CurrentKey;
  /** The key with this id, as long as tokens signed with it are taken. */
  find(kid: string): ImportedKey | undefined;
  /** All public keys that tokens are verified with, the current one first. */
  publicKeys(): readonly JWK[];
  /** What `publicKeys` gave before the last rotation: what a verifier has that did not ask since. */
  publicKeysBefore(): readonly JWK[];
  /** The current public key as PEM (RFC 7468). */
  currentPem(): Promise<string>;
  /** Puts a new key of the same algorithm in the place of the current one. One rotation at a time. */
  rotate(): Promise<Rotated>;
  /** Takes the keys that the store has now, after they were put there by other means. */
  reload(): Promise<void>;
}

export interface Rotated {
  /** The key that signs from now on. */
  readonly kid: string;
  /** Keys that sign no more, with the epoch second until which they verify; undefined where that is not known. */
  readonly retired: readonly { readonly kid: string; readonly until: number | undefined }[];
}

export interface KeyRingParts {
  readonly store: Store;
  readonly alg: SigningAlgorithm;
  readonly clock: Clock;
  /** The longest life, in seconds, of any token that is issued. */
  readonly longestToken: number;
}

/** A retired key stays for this much longer than the last token it signed: signing takes time, and clocks differ. */
const marginSeconds = 60;
/** What the settings allow at most: for keys of whose tokens nothing was noted. */
const longestPossible = 86_400;

/** The longest life that these settings give any token, in seconds. */
export function longestTokenOf(settings: {
  readonly clientTokenLifetime: number;
  readonly userTokenLifetime: number;
  readonly rememberedTokenLifetime: number;
}): number {
  return Math.max(settings.clientTokenLifetime, settings.userTokenLifetime, settings.rememberedTokenLifetime);
}

/** Before the id of each key, so that a verifier that meets it where it should not can tell whose it is. */
const keyPrefix = 'iam-standin-';

/** A new key pair for this algorithm; RSA keys have 3072 bits. The id ends with the key's thumbprint (RFC 7638). */
async function makeSigningKey(alg: string, { clock, longestToken }: KeyRingParts): Promise<SigningKey> {
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
export async function openKeyRing(parts: KeyRingParts): Promise<KeyRing> {
  return createKeyRing(await loaded(parts), parts);
}

/** @throws where one of the keys can't be used. */
export async function checkKeys(rows: readonly SigningKey[]): Promise<void> {
  for (const row of rows) {
    await importPublic(row);
    if (row.current) await importedHalf(row, row.privateJwk);
  }
}

async function loaded(parts: KeyRingParts): Promise<Keys> {
  const rows = await parts.store.signingKeys.list();
  const found = rows.find((row) => row.current && row.alg === parts.alg);
  const current = found ? await noted(found, parts) : await makeSigningKey(parts.alg, parts);
  const kept = found ? rows : await putInPlace(current, parts);
  return opened(current, kept);
}

/** Tokens may live longer than at the start before; those that live shorter now were signed all the same. */
async function noted(row: SigningKey, { store, longestToken }: KeyRingParts): Promise<SigningKey> {
  if (longestToken <= (row.longestToken ?? longestPossible)) return row;
  const lengthened = { ...row, longestToken };
  await store.transaction((tx) => tx.signingKeys.replace(lengthened));
  return lengthened;
}

/** Keeps a new current key and clears away what verifies nothing any more. @returns all keys that are left. */
function putInPlace(made: SigningKey, { store, clock }: KeyRingParts): Promise<readonly SigningKey[]> {
  const now = epochSeconds(clock);
  return store.transaction(async (tx) => {
    for (const row of await tx.signingKeys.list()) {
      if (row.current) await tx.signingKeys.replace(retired(row, now));
      else if (isOver(row, now)) await tx.signingKeys.delete(row.kid);
    }
    await tx.signingKeys.insert(made);
    return tx.signingKeys.list();
  });
}

/** Its private half is not needed any more, so it is not kept. */
function retired(row: SigningKey, now: number): SigningKey {
  const retiresAt = now + (row.longestToken ?? longestPossible) + marginSeconds;
  return { ...row, current: false, privateJwk: {}, retiresAt };
}

function isOver({ retiresAt }: { readonly retiresAt?: number | undefined }, now: number): boolean {
  return (retiresAt ?? Number.POSITIVE_INFINITY) <= now;
}

/** What the ring holds: the current key, and by id all that verify. */
interface Keys {
  readonly current: CurrentKey;
  readonly byId: ReadonlyMap<string, VerifyingKey>;
}

interface VerifyingKey extends ImportedKey {
  readonly retiresAt?: number | undefined;
}

/** Imports the current key, and of all rows those that are others. */
async function opened(current: SigningKey, rows: readonly SigningKey[]): Promise<Keys> {
  const privateKey = await importedHalf(current, current.privateJwk);
  const own = await importPublic(current);
  const others = await Promise.all(rows.filter(({ kid }) => kid !== current.kid).map(importPublic));
  return {
    current: { ...own, privateKey },
    byId: new Map([own, ...others].map((key) => [key.kid, key])),
  };
}

async function importPublic(row: SigningKey): Promise<VerifyingKey> {
  const publicKey = await importedHalf(row, row.publicJwk);
  return { kid: row.kid, alg: row.alg, publicKey, publicJwk: row.publicJwk as JWK, retiresAt: row.retiresAt };
}

async function importedHalf({ kid, alg }: SigningKey, jwk: Readonly<Record<string, unknown>>): Promise<CryptoKey> {
  const key = await importJWK(jwk as JWK, alg);
  if (key instanceof Uint8Array) throw new Error(`key ${kid} is symmetric`);
  return key;
}

function createKeyRing(first: Keys, parts: KeyRingParts): KeyRing {
  let keys = first;
  let rotating: Promise<unknown> = Promise.resolve();
  let before: readonly JWK[] | undefined;
  const inForce = (key: VerifyingKey) => !isOver(key, epochSeconds(parts.clock));

  function publicKeys(): JWK[] {
    return [...keys.byId.values()].filter(inForce).map(({ publicJwk }) => publicJwk);
  }

  /** What is told of a rotation before the start: the keys that were there besides, unless there were none. */
  function keptBefore(): readonly JWK[] {
    const others = publicKeys().slice(1);
    return others.length === 0 ? publicKeys() : others;
  }

  /** The new key signs only after it is durable; from one moment to the next both are there for verifying. */
  async function rotateOnce(): Promise<Rotated> {
    const made = await makeSigningKey(keys.current.alg, parts);
    const known = publicKeys();
    const rows = await putInPlace(made, parts);
    keys = await opened(made, rows);
    before = known;
    const others = rows.filter((row) => !row.current);
    return { kid: made.kid, retired: others.map(({ kid, retiresAt }) => ({ kid, until: retiresAt })) };
  }

  /** Keys are changed by one at a time. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = rotating.then(work);
    rotating = turn.catch(() => undefined);
    return turn;
  }

  return {
    current: () => keys.current,
    find(kid) {
      const key = keys.byId.get(kid);
      return key && inForce(key) ? key : undefined;
    },
    publicKeys,
    publicKeysBefore: () => before ?? keptBefore(),
    currentPem: () => exportSPKI(keys.current.publicKey),
    rotate: () => inTurn(rotateOnce),
    reload: () =>
      inTurn(async () => {
        keys = await loaded(parts);
        before = undefined;
      }),
  };
}
