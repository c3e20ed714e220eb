/** Signing keys: generated, stored, imported once, rotated, and published as a JWK Set (RFC 7517). */
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, importJWK } from 'jose';
import type { SigningAlgorithm } from '../../contract/signing-algorithms.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { type Stopwatch, systemStopwatch } from '../lib/stopwatch.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import type { SigningKey } from '../store/tables.ts';
import { createJwtSigner, type JwtSigner } from './jwt-signer.ts';
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
  readonly signToken: JwtSigner;
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

/** @throws Error if one of the keys cannot be imported. */
export async function assertKeysUsable(rows: readonly SigningKey[]): Promise<void> {
  for (const row of rows) {
    await importPublicKey(row);
    if (row.current) createJwtSigner(row);
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
    current: { ...own, signToken: createJwtSigner(current) },
    byId: new Map([own, ...others].map((key) => [key.kid, key])),
  };
}

async function importPublicKey(row: SigningKey): Promise<StoredVerificationKey> {
  const { kid, alg, retiresAt } = row;
  const publicJwk = row.publicJwk as JWK;
  const publicKey = await importJWK(publicJwk, alg);
  if (publicKey instanceof Uint8Array) throw new Error(`key ${kid} is symmetric`);
  return { kid, alg, publicKey, publicJwk, retiresAt };
}

/** Milliseconds between reads of the keys that other servers may have created. */
const pollPause = 2_000;
/** Milliseconds. Anyone can send tokens with unknown key ids. */
const refreshPause = 1_000;
/** A server that has not read the keys for as long does not sign: its key may be retired, and expire too early. */
const maxAge = 30_000;

function createKeyRing(first: KeySet, deps: KeyRingDeps): KeyRing {
  const { timer = systemTimer, stopwatch = systemStopwatch } = deps;
  const isShared = deps.store.shared !== undefined;
  let keys = first;
  let readAt = stopwatch.now();
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let failedRefresh: { readonly begunAt: number; readonly error: unknown } | undefined;
  let cancelPoll = () => {};
  let isClosed = false;
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

  /** Servers that share a store publish the new key at once, and sign with it when all of them have read it. */
  async function announceNextKey(): Promise<KeyRotation> {
    const created = await generateSigningKey(keys.current.alg, deps);
    const { next, rows } = await announceKey(created, deps);
    await adoptRows(rows);
    const others = rows.filter((row) => !row.current && !isNext(row));
    const retired = others.map(({ kid, retiresAt }) => ({ kid, until: retiresAt }));
    return { kid: next.kid, signsFrom: next.signsFrom, retired };
  }

  async function readKeys(): Promise<void> {
    const begin = stopwatch.now();
    await adoptRows(await promoteDueKey(await deps.store.signingKeys.list(), deps));
    readAt = begin;
  }

  async function adoptRows(rows: readonly SigningKey[]): Promise<void> {
    // Of another algorithm if a server was started with another one: the key of this server is retired then.
    const current = rows.find((row) => row.current);
    if (!current) return;
    const isSame = current.kid === keys.current.kid && rows.length === keys.byId.size;
    if (isSame && rows.every(({ kid }) => keys.byId.has(kid))) return;
    const previous = publicKeys();
    keys = await importKeys(current, rows);
    previousKeys = previous;
  }

  function schedulePoll(): void {
    if (isClosed) return;
    cancelPoll = timer.after(pollPause, () => void runSerially(readKeys).then(schedulePoll, schedulePoll));
  }
  if (isShared) schedulePoll();

  /** Runs key changes one at a time. */
  function runSerially<Result>(work: () => Promise<Result>): Promise<Result> {
    const change = lastChange.then(work);
    lastChange = change.catch(() => undefined);
    return change;
  }

  return {
    current() {
      if (isShared && stopwatch.now() - readAt > maxAge)
        throw new StoreUnavailableError('The signing keys cannot be read.');
      return keys.current;
    },
    find(kid) {
      const key = keys.byId.get(kid);
      return key && isActive(key) ? key : undefined;
    },
    publicKeys,
    publicKeysBefore: () => previousKeys ?? earlierKeys(),
    currentPem: async () => `${await exportSPKI(keys.current.publicKey)}\n`,
    rotate: () => runSerially(isShared ? announceNextKey : rotateKeys),
    refresh() {
      const asked = stopwatch.now();
      // One read answers all that asked before it began.
      return runSerially(async () => {
        if (!isShared || readAt >= asked || asked - refreshedAt < refreshPause) return;
        if (failedRefresh && failedRefresh.begunAt >= asked) throw failedRefresh.error;
        const begunAt = stopwatch.now();
        await readKeys().catch((error: unknown) => {
          failedRefresh = { begunAt, error };
          throw error;
        });
        refreshedAt = asked;
      });
    },
    close() {
      isClosed = true;
      cancelPoll();
    },
    reload: () =>
      runSerially(async () => {
        keys = await loadKeys(deps);
        previousKeys = undefined;
      }),
  };
}
