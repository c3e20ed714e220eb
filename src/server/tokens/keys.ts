/** Signing keys: generated, stored, imported once, rotated, and published as a JWK Set (RFC 7517). */
import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import type { CryptoKey, JWK } from 'jose';
import { exportSPKI, importJWK } from 'jose';
import type { IdTokenAlgorithm, SigningAlgorithm } from '../../contract/signing-algorithms.ts';
import { epochSeconds } from '../lib/clock.ts';
import { type Stopwatch, systemStopwatch } from '../lib/stopwatch.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import type { SigningKey } from '../store/tables.ts';
import { idTokenType } from './claims.ts';
import { createSigningKey, type GenerateKeyDeps, generateSigningKey } from './generate-key.ts';
import { createJwtSigner, type JwtSigner } from './jwt-signer.ts';
import { fitsAlgorithm } from './key-form.ts';
import { KeyPoller } from './key-poller.ts';
import {
  announceKeys,
  isExpired,
  isNext,
  isSameSeries,
  type KeySeries,
  promoteDueKeys,
  storeCurrentKeys,
  storeFirstKey,
} from './key-rotation.ts';
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
  /** The key that signs access tokens. */
  current(): CurrentSigningKey;
  /**
   * Signs ID tokens: with the current key if it has this algorithm, else with a key that is created at the first use. The
   * header has the type of ID tokens.
   * @throws StoreUnavailableError if that key cannot be stored
   */
  idTokenSigner(alg: IdTokenAlgorithm): Promise<JwtSigner>;
  /** The key of access tokens with this id, as long as tokens signed with it are accepted. */
  find(kid: string): VerificationKey | undefined;
  /** The same for ID tokens, which a key of access tokens signs as well. */
  findForIdToken(kid: string): VerificationKey | undefined;
  /** Whether this key signs now: the current one, or one of ID tokens. */
  isSigning(kid: string): boolean;
  /** All public keys that verify tokens, the current one first, those of ID tokens last. */
  publicKeys(): readonly JWK[];
  /** The result of `publicKeys` before the last rotation: the keys of a verifier with a stale cache. */
  publicKeysBefore(): readonly JWK[];
  /** The current public key as PEM (RFC 7468). */
  currentPem(): Promise<string>;
  /** Replaces the keys that sign with new ones of the same algorithms. Rotations run one at a time. */
  rotate(): Promise<KeyRotation>;
  /** Reads the keys of the store again, after it was replaced. */
  reload(): Promise<void>;
  /**
   * Reads the keys again, at most once a second, if several servers share the store: another one may have created a key.
   * @throws StoreUnavailableError if the store cannot be read
   */
  refresh(): Promise<void>;
  /** The same to publish the keys: if the store cannot be read, what is known remains. */
  tryRefresh(): Promise<void>;
  /** Ends reading the keys of other servers. */
  close(): void;
}

export interface KeyRotation {
  readonly kid: string;
  /** The ids of the new keys of ID tokens; none if there were no such keys. */
  readonly idTokenKids: readonly string[];
  /** The epoch second from which it signs, on servers that share a store; undefined if it signs already. */
  readonly signsFrom?: number | undefined;
  /** Keys that no longer sign, with the epoch second until which they verify; undefined if unknown. */
  readonly retired: readonly { readonly kid: string; readonly until: number | undefined }[];
}

export interface KeyRingDeps extends GenerateKeyDeps {
  readonly store: Store;
  readonly alg: SigningAlgorithm;
  /** Signs after each start instead of a generated key. */
  readonly configuredKey?: Pick<ConfiguredSigningKey, 'privateJwk' | 'publicJwk'> | undefined;
  /** Default: those of the system. */
  readonly timer?: Timer | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

/**
 * Loads the keys of a store. If none is current for this algorithm, or another one than the configured key, that key or a
 * generated one becomes current. Older keys continue to verify.
 */
export async function openKeyRing(deps: KeyRingDeps): Promise<KeyRing> {
  return createKeyRing(await loadKeys(deps), deps);
}

/** @throws Error if one of the keys cannot be imported, or the private and the public part of one that signs are no pair. */
export async function assertKeysUsable(rows: readonly SigningKey[]): Promise<void> {
  for (const row of rows) {
    await importPublicKey(row);
    if (!row.current && !isNext(row)) continue;
    createJwtSigner(row);
    const derived = createPublicKey(createPrivateKey({ key: row.privateJwk as JsonWebKey, format: 'jwk' }));
    const given = createPublicKey({ key: row.publicJwk as JsonWebKey, format: 'jwk' });
    if (!derived.equals(given)) throw new Error(`the parts of key ${row.kid} are no pair`);
  }
}

/** Whether the key signs access tokens. */
function isCurrent(row: SigningKey): boolean {
  return row.current && row.purpose === undefined;
}

async function loadKeys(deps: KeyRingDeps): Promise<KeySet> {
  const rows = await promoteDueKeys(await deps.store.signingKeys.list(), deps);
  const configured = deps.configuredKey && (await createSigningKey({ alg: deps.alg }, deps.configuredKey, deps));
  const existing = rows.find(
    (row) => isCurrent(row) && row.alg === deps.alg && (configured === undefined || configured.kid === row.kid),
  );
  const current = existing
    ? await storeLongestToken(existing, deps)
    : (configured ?? (await generateSigningKey({ alg: deps.alg }, deps)));
  const stored = existing ? rows : await storeCurrentKeys([current], deps);
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
  /** By algorithm. */
  readonly idTokenSigners: ReadonlyMap<string, JwtSigner>;
}

interface StoredVerificationKey extends VerificationKey, KeySeries {
  readonly isSigning: boolean;
  readonly retiresAt?: number | undefined;
}

async function importKeys(current: SigningKey, rows: readonly SigningKey[]): Promise<KeySet> {
  const own = await importPublicKey(current);
  const others = await Promise.all(rows.filter(({ kid }) => kid !== current.kid).map(importPublicKey));
  const isForIdTokens = ({ purpose }: KeySeries) => purpose === 'id-token';
  // Those of ID tokens last.
  others.sort((one, other) => Number(isForIdTokens(one)) - Number(isForIdTokens(other)));
  const idTokenKeys = rows.filter((row) => row.current && isForIdTokens(row));
  return {
    current: { ...own, signer: createJwtSigner(current) },
    byId: new Map([own, ...others].map((key) => [key.kid, key])),
    // The current key precedes another one of its algorithm.
    idTokenSigners: new Map([...idTokenKeys, current].map((row) => [row.alg, createJwtSigner(row, idTokenType)])),
  };
}

async function importPublicKey(row: SigningKey): Promise<StoredVerificationKey> {
  const { kid, alg, purpose, current: isSigning, retiresAt } = row;
  const publicJwk = row.publicJwk as JWK;
  const key = createPublicKey({ key: publicJwk as JsonWebKey, format: 'jwk' });
  if (!fitsAlgorithm(key, alg)) throw new Error(`key ${kid} does not fit ${alg}`);
  const publicKey = await importJWK(publicJwk, alg);
  if (publicKey instanceof Uint8Array) throw new Error(`key ${kid} is symmetric`);
  return { kid, alg, purpose, isSigning, publicKey, publicJwk, retiresAt };
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
    const key = this.findForIdToken(kid);
    return key?.purpose === undefined ? key : undefined;
  }

  findForIdToken(kid: string): StoredVerificationKey | undefined {
    const key = this.#keys.byId.get(kid);
    return key && this.#isActive(key) ? key : undefined;
  }

  isSigning(kid: string): boolean {
    return this.#keys.byId.get(kid)?.isSigning === true;
  }

  idTokenSigner(alg: IdTokenAlgorithm): JwtSigner | undefined {
    return this.#keys.idTokenSigners.get(alg);
  }

  /** @returns the signer with this key, or with that of another server, which stored one earlier. */
  async storeIdTokenKey(created: SigningKey): Promise<JwtSigner> {
    const { key, rows } = await storeFirstKey(created, this.#deps);
    await this.#adopt(rows);
    return createJwtSigner(key, idTokenType);
  }

  publicKeys(): readonly JWK[] {
    return this.#listActive().map(({ publicJwk }) => publicJwk);
  }

  /** Without a rotation since the start: without the keys that have replaced others. */
  publicKeysBefore(): readonly JWK[] {
    if (this.#previous) return this.#previous;
    const all = this.#listActive();
    const hasReplaced = (key: StoredVerificationKey) =>
      key.isSigning && all.some((other) => !other.isSigning && isSameSeries(other, key));
    return all.filter((key) => !hasReplaced(key)).map(({ publicJwk }) => publicJwk);
  }

  /** The new keys sign only after they are durable. The set of verification keys is replaced in one step. */
  async rotate(): Promise<KeyRotation> {
    const created = await this.#generateSuccessors();
    const rows = await storeCurrentKeys(created, this.#deps);
    await this.#adopt(rows);
    return describeRotation(created, rows);
  }

  /** Servers that share a store publish the new keys at once, and sign with them when all of them have read them. */
  async announceNext(): Promise<KeyRotation> {
    await this.read();
    const created = await this.#generateSuccessors();
    const rows = await announceKeys(created, this.#deps);
    await this.#adopt(rows);
    return describeRotation(created, rows);
  }

  /** One for each key that signs, that of access tokens first. */
  #generateSuccessors(): Promise<GeneratedKeys> {
    const generate = (series: KeySeries) => generateSigningKey(series, this.#deps);
    const others = [...this.#keys.byId.values()].filter(({ isSigning, purpose }) => isSigning && purpose !== undefined);
    return Promise.all([generate({ alg: this.current.alg }), ...others.map(generate)]);
  }

  /** Reads the keys that other servers created. */
  async read(): Promise<void> {
    await this.#adopt(await promoteDueKeys(await this.#deps.store.signingKeys.list(), this.#deps));
  }

  /** Reads the keys of a store that was replaced. */
  async reload(): Promise<void> {
    this.#keys = await loadKeys(this.#deps);
    this.#previous = undefined;
  }

  async #adopt(rows: readonly SigningKey[]): Promise<void> {
    // Of another algorithm if a server was started with another one: the key of this server is retired then.
    const current = rows.find(isCurrent);
    if (!current) return;
    const { byId } = this.#keys;
    const isSame = (row: SigningKey) => byId.get(row.kid)?.isSigning === row.current;
    if (rows.length === byId.size && rows.every(isSame)) return;
    const keys = await importKeys(current, rows);
    // The first key of ID tokens replaces none.
    const known = [...byId.values()];
    const isRotation = rows.some((row) => !byId.has(row.kid) && known.some((key) => isSameSeries(key, row)));
    if (isRotation) this.#previous = this.publicKeys();
    this.#keys = keys;
  }

  #listActive(): readonly StoredVerificationKey[] {
    return [...this.#keys.byId.values()].filter((key) => this.#isActive(key));
  }

  #isActive(key: StoredVerificationKey): boolean {
    return !isExpired(key, epochSeconds(this.#deps.clock));
  }
}

type GeneratedKeys = readonly [ofAccessTokens: SigningKey, ...ofIdTokens: SigningKey[]];

/** If a key of the same series was announced before, the generated one was not stored. */
function describeRotation([generated, ...others]: GeneratedKeys, rows: readonly SigningKey[]): KeyRotation {
  const findStored = (key: SigningKey) => rows.find((row) => isNext(row) && isSameSeries(row, key)) ?? key;
  const { kid, signsFrom } = findStored(generated);
  const retired = rows.filter((row) => !row.current && !isNext(row));
  return {
    kid,
    signsFrom,
    idTokenKids: others.map((key) => findStored(key).kid),
    retired: retired.map((row) => ({ kid: row.kid, until: row.retiresAt })),
  };
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
  const assertUpToDate = () => {
    if (poller?.isOutdated()) throw new StoreUnavailableError('The signing keys cannot be read.');
  };
  /** Generation takes up to seconds: calls meanwhile wait for the same key, other work for none. */
  const creations = new Map<IdTokenAlgorithm, Promise<JwtSigner>>();
  const findOrCreateIdTokenKey = async (alg: IdTokenAlgorithm) => {
    // Another server creates it for the code of a login, which is exchanged before the next poll.
    if (poller) await runSerially(() => keys.read());
    const found = keys.idTokenSigner(alg);
    if (found) return found;
    const created = await generateSigningKey({ alg, purpose: 'id-token' }, deps);
    return runSerially(() => keys.storeIdTokenKey(created));
  };
  const createIdTokenKey = (alg: IdTokenAlgorithm) => {
    const creation = creations.get(alg) ?? findOrCreateIdTokenKey(alg).finally(() => creations.delete(alg));
    creations.set(alg, creation);
    return creation;
  };
  return {
    current() {
      assertUpToDate();
      return keys.current;
    },
    async idTokenSigner(alg) {
      assertUpToDate();
      return keys.idTokenSigner(alg) ?? createIdTokenKey(alg);
    },
    find: (kid) => keys.find(kid),
    findForIdToken: (kid) => keys.findForIdToken(kid),
    isSigning: (kid) => keys.isSigning(kid),
    publicKeys: () => keys.publicKeys(),
    publicKeysBefore: () => keys.publicKeysBefore(),
    currentPem: async () => `${await exportSPKI(keys.current.publicKey)}\n`,
    rotate: () => runSerially(() => (poller ? keys.announceNext() : keys.rotate())),
    reload: () => runSerially(() => keys.reload()),
    refresh: async () => poller?.refresh(),
    tryRefresh: async () => poller?.tryRefresh(),
    close: () => poller?.close(),
  };
}
