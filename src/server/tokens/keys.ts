/** Signing keys: generated, stored, imported once, rotated, and published as a JWK Set (RFC 7517). */
import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK } from 'jose';
import type { SigningAlgorithm } from '../../contract/signing-algorithms.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { type Stopwatch, systemStopwatch } from '../lib/stopwatch.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import type { SigningKey } from '../store/tables.ts';
import { createJwtSigner, type JwtSigner } from './jwt-signer.ts';
import { fitsAlgorithm } from './key-form.ts';
import { KeyPoller } from './key-poller.ts';
import { announceKey, isExpired, isNext, promoteDueKey, storeCurrentKey } from './key-rotation.ts';
import type { ConfiguredSigningKey } from './signing-key-file.ts';

/** A key that verifies tokens. `publicJwk` has public members only. */
export interface VerificationKey {
  readonly kid: string;
  readonly alg: string;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
}

export interface CurrentSigningKey extends VerificationKey {
  readonly signer: JwtSigner;
}

export interface KeyRing {
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
  /**
   * Reads the keys again, at most once a second, if several servers share the store: another one may have created a key.
   * @throws StoreUnavailableError if the store cannot be read
   */
  refresh(): Promise<void>;
  /** Ends reading the keys of other servers. */
  close(): void;
}

export interface KeyRotation {
  readonly kid: string;
  /** The epoch second from which it signs, on servers that share a store; undefined if it signs already. */
  readonly signsFrom?: number | undefined;
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
  /** Default: those of the system. */
  readonly timer?: Timer | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

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

/** @throws Error if one of the keys cannot be imported, or the private and the public one are no pair. */
export async function assertKeysUsable(rows: readonly SigningKey[]): Promise<void> {
  for (const row of rows) {
    await importPublicKey(row);
    if (!row.current) continue;
    createJwtSigner(row);
    const derived = createPublicKey(createPrivateKey({ key: row.privateJwk as JsonWebKey, format: 'jwk' }));
    const given = createPublicKey({ key: row.publicJwk as JsonWebKey, format: 'jwk' });
    if (!derived.equals(given)) throw new Error(`the parts of key ${row.kid} are no pair`);
  }
}

async function loadKeys(deps: KeyRingDeps): Promise<KeySet> {
  const rows = await promoteDueKey(await deps.store.signingKeys.list(), deps);
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
  if (longestToken <= row.longestToken) return row;
  const updated = { ...row, longestToken };
  await store.transaction(async (tx) => {
    // Another server can have retired or deleted the key since it was read, or recorded a longer lifetime.
    const stored = await tx.signingKeys.get(row.kid);
    const longest = Math.max(longestToken, stored?.longestToken ?? 0);
    if (stored?.current) await tx.signingKeys.replace({ ...stored, longestToken: longest });
  });
  return updated;
}

/** The current key, and all verification keys by id. */
interface KeySet {
  readonly current: CurrentSigningKey;
  readonly byId: ReadonlyMap<string, StoredVerificationKey>;
}

interface StoredVerificationKey extends VerificationKey {
  readonly retiresAt?: number | undefined;
}

async function importKeys(current: SigningKey, rows: readonly SigningKey[]): Promise<KeySet> {
  const own = await importPublicKey(current);
  const others = await Promise.all(rows.filter(({ kid }) => kid !== current.kid).map(importPublicKey));
  return {
    current: { ...own, signer: createJwtSigner(current) },
    byId: new Map([own, ...others].map((key) => [key.kid, key])),
  };
}

async function importPublicKey(row: SigningKey): Promise<StoredVerificationKey> {
  const { kid, alg, retiresAt } = row;
  const publicJwk = row.publicJwk as JWK;
  const key = createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' });
  if (!fitsAlgorithm(key, alg)) throw new Error(`key ${kid} does not fit ${alg}`);
  const publicKey = await importJWK(publicJwk, alg);
  if (publicKey instanceof Uint8Array) throw new Error(`key ${kid} is symmetric`);
  return { kid, alg, publicKey, publicJwk, retiresAt };
}

/** The keys in use. Changes of them must run one at a time. */
class LoadedKeys {
  readonly #deps: KeyRingDeps;
  #keys: KeySet;
  #previous: readonly JWK[] | undefined;

  constructor(keys: KeySet, deps: KeyRingDeps) {
    this.#keys = keys;
    this.#deps = deps;
  }

  get current(): CurrentSigningKey {
    return this.#keys.current;
  }

  find(kid: string): VerificationKey | undefined {
    const key = this.#keys.byId.get(kid);
    return key && this.#isActive(key) ? key : undefined;
  }

  publicKeys(): readonly JWK[] {
    return [...this.#keys.byId.values()].filter((key) => this.#isActive(key)).map(({ publicJwk }) => publicJwk);
  }

  /** Without a rotation since the start: the older keys, or all if there are none. */
  publicKeysBefore(): readonly JWK[] {
    if (this.#previous) return this.#previous;
    const all = this.publicKeys();
    return all.length > 1 ? all.slice(1) : all;
  }

  /** The new key signs only after it is durable. The set of verification keys is replaced in one step. */
  async rotate(): Promise<KeyRotation> {
    const created = await generateSigningKey(this.current.alg, this.#deps);
    const rows = await storeCurrentKey(created, this.#deps);
    await this.#replace(created, rows);
    return { kid: created.kid, retired: listRetired(rows) };
  }

  /** Servers that share a store publish the new key at once, and sign with it when all of them have read it. */
  async announceNext(): Promise<KeyRotation> {
    const created = await generateSigningKey(this.current.alg, this.#deps);
    const { next, rows } = await announceKey(created, this.#deps);
    await this.#adopt(rows);
    return { kid: next.kid, signsFrom: next.signsFrom, retired: listRetired(rows) };
  }

  /** Reads the keys that other servers created. */
  async read(): Promise<void> {
    await this.#adopt(await promoteDueKey(await this.#deps.store.signingKeys.list(), this.#deps));
  }

  /** Reads the keys of a store that was replaced. */
  async reload(): Promise<void> {
    this.#keys = await loadKeys(this.#deps);
    this.#previous = undefined;
  }

  async #adopt(rows: readonly SigningKey[]): Promise<void> {
    // Of another algorithm if a server was started with another one: the key of this server is retired then.
    const current = rows.find((row) => row.current);
    if (!current) return;
    const { byId } = this.#keys;
    const isSame = current.kid === this.current.kid && rows.length === byId.size;
    if (!isSame || !rows.every(({ kid }) => byId.has(kid))) await this.#replace(current, rows);
  }

  async #replace(current: SigningKey, rows: readonly SigningKey[]): Promise<void> {
    const previous = this.publicKeys();
    this.#keys = await importKeys(current, rows);
    this.#previous = previous;
  }

  #isActive(key: StoredVerificationKey): boolean {
    return !isExpired(key, epochSeconds(this.#deps.clock));
  }
}

function listRetired(rows: readonly SigningKey[]): KeyRotation['retired'] {
  return rows.filter((row) => !row.current && !isNext(row)).map(({ kid, retiresAt }) => ({ kid, until: retiresAt }));
}

function createKeyRing(first: KeySet, deps: KeyRingDeps): KeyRing {
  const { timer = systemTimer, stopwatch = systemStopwatch } = deps;
  const keys = new LoadedKeys(first, deps);
  let lastChange: Promise<unknown> = Promise.resolve();
  const runSerially = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const change = lastChange.then(work);
    lastChange = change.catch(() => undefined);
    return change;
  };
  const poller = deps.store.shared
    ? new KeyPoller({ timer, stopwatch, runSerially, readKeys: () => keys.read() })
    : undefined;
  return {
    current() {
      if (poller?.isOutdated()) throw new StoreUnavailableError('The signing keys cannot be read.');
      return keys.current;
    },
    find: (kid) => keys.find(kid),
    publicKeys: () => keys.publicKeys(),
    publicKeysBefore: () => keys.publicKeysBefore(),
    currentPem: async () => `${await exportSPKI(keys.current.publicKey)}\n`,
    rotate: () => runSerially(() => (poller ? keys.announceNext() : keys.rotate())),
    reload: () => runSerially(() => keys.reload()),
    refresh: async () => poller?.refresh(),
    close: () => poller?.close(),
  };
}
