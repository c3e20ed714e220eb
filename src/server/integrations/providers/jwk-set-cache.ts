/**
 * The keys that OpenID providers publish (RFC 7517), fetched when they are needed and kept for a while. However many
 * calls name keys that nobody knows, a provider is asked by one call at a time, and not again at once.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { apiError } from '../../../contract/errors.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

export interface JwkSetCache {
  /** The keys at a URL, from not long ago. @throws IamError PROVIDER_UNAVAILABLE where there are none to be had. */
  get(url: string): Promise<JWTVerifyGetKey>;
  /**
   * The keys as they are now, for a key that is not among the known ones; undefined where they were asked for just now.
   * @throws IamError PROVIDER_UNAVAILABLE where they are out of reach.
   */
  refresh(url: string): Promise<JWTVerifyGetKey | undefined>;
}

export interface JwkSetCacheOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds that an answer may take. */
  readonly timeout: number;
}

const coolDownMs = 30_000;
/** After so long keys are fetched anew, and what was taken back is no longer taken. */
const maxAgeMs = 10 * 60_000;
/** While the provider is out of reach, its last keys count so long. */
const maxStaleMs = 24 * 3_600_000;
const maxDocumentBytes = 256 * 1024;

interface CacheEntry {
  keys?: JWTVerifyGetKey;
  fetchedAt: number;
  /** When it was asked for the sake of a key that is not known, */
  refreshedAt: number;
  /** and when it last was out of reach. */
  failedAt: number;
  isReachable: boolean;
  pendingFetch?: Promise<void> | undefined;
}

export function createJwkSetCache({ clock, log, timeout }: JwkSetCacheOptions): JwkSetCache {
  const entries = new Map<string, CacheEntry>();
  const now = () => clock.now().getTime();

  function findOrCreateEntry(url: string): CacheEntry {
    const never = Number.NEGATIVE_INFINITY;
    const entry = entries.get(url) ?? { fetchedAt: never, refreshedAt: never, failedAt: never, isReachable: false };
    entries.set(url, entry);
    return entry;
  }

  function fetchShared(url: string, entry: CacheEntry): Promise<void> {
    entry.pendingFetch ??= fetchInto(url, entry).finally(() => {
      entry.pendingFetch = undefined;
    });
    return entry.pendingFetch;
  }

  async function fetchInto(url: string, entry: CacheEntry): Promise<void> {
    try {
      entry.keys = createLocalJWKSet(await fetchJwkSet(url, timeout));
      entry.fetchedAt = now();
      entry.isReachable = true;
    } catch (error) {
      entry.isReachable = false;
      entry.failedAt = now();
      log.warn({ err: error, url }, 'the keys of an identity provider are out of reach');
    }
  }

  const isWithinCoolDown = (instant: number) => now() < instant + coolDownMs;
  const isYoungerThan = (entry: CacheEntry, age: number) => entry.keys !== undefined && now() < entry.fetchedAt + age;

  return {
    async get(url) {
      const entry = findOrCreateEntry(url);
      const inCoolDown = isYoungerThan(entry, maxStaleMs) && isWithinCoolDown(entry.failedAt);
      if (!isYoungerThan(entry, maxAgeMs) && !inCoolDown) await fetchShared(url, entry);
      return entry.keys !== undefined && isYoungerThan(entry, maxStaleMs) ? entry.keys : throwUnavailable();
    },
    async refresh(url) {
      const entry = findOrCreateEntry(url);
      if (entry.pendingFetch === undefined && isWithinCoolDown(entry.refreshedAt))
        return entry.isReachable ? undefined : throwUnavailable();
      if (entry.pendingFetch === undefined) entry.refreshedAt = now();
      await fetchShared(url, entry);
      return entry.isReachable ? entry.keys : throwUnavailable();
    },
  };
}

function throwUnavailable(): never {
  throw apiError('PROVIDER_UNAVAILABLE');
}

/** @throws whatever stands in the way: no answer in time, a redirect, another status, too long, no JSON. */
async function fetchJwkSet(url: string, timeout: number): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeout),
  });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error(`the answer has status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > maxDocumentBytes) throw new Error(`the answer is longer than ${maxDocumentBytes} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JSONWebKeySet;
}
