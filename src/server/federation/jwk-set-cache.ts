/**
 * Caches the JWK Sets of OpenID providers (RFC 7517), fetched on demand. Requests with unknown key ids cause at most one
 * fetch at a time per provider. Each that brings no new key is followed by a longer pause.
 */
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { OutgoingFetch } from '../lib/outgoing-fetch.ts';
import { createUnavailableError, describeFailure, fetchDocument, findRefusal } from './fetch-document.ts';
import { ProviderKeys } from './provider-keys.ts';

export interface JwkSetCache {
  /** Returns recent keys of a URL. @throws IamError PROVIDER_UNAVAILABLE if there are none and they cannot be fetched. */
  get(url: string): Promise<ProviderKeys>;
  /**
   * Fetches the keys again, for an unknown key id; undefined during the pause after the last refresh.
   * @throws IamError PROVIDER_UNAVAILABLE if they cannot be fetched.
   */
  refresh(url: string): Promise<ProviderKeys | undefined>;
}

export interface JwkSetCacheOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Timeout of a fetch in milliseconds. */
  readonly timeout: number;
  readonly fetch: OutgoingFetch;
}

/** Milliseconds without another fetch of cached keys after a failure. */
const failurePauseMs = 30_000;
/** Milliseconds between fetches for unknown key ids, as long as none brings a new key: doubled each time. */
const refreshPauseMs = { first: 1_000, longest: 30_000 } as const;
/** Age at which keys are fetched again, so that withdrawn keys are no longer accepted. */
const maxAgeMs = 10 * 60_000;
/** Max age of cached keys while the provider is unreachable. */
const maxStaleMs = 24 * 3_600_000;

interface CacheEntry {
  keys?: ProviderKeys;
  fetchedAt: number;
  /** When keys were last fetched for an unknown key id. */
  refreshedAt: number;
  /** Milliseconds until they may be fetched for one again. */
  refreshPause: number;
  /** When the last fetch failed. */
  failedAt: number;
  isReachable: boolean;
  /** Why the keys must not be fetched, for operators. */
  refusal?: string | undefined;
  pendingFetch?: Promise<void> | undefined;
}

export function createJwkSetCache({ clock, log, timeout, fetch }: JwkSetCacheOptions): JwkSetCache {
  const entries = new Map<string, CacheEntry>();
  const now = () => clock.now().getTime();

  function findOrCreateEntry(url: string): CacheEntry {
    const never = Number.NEGATIVE_INFINITY;
    const times = { fetchedAt: never, refreshedAt: never, failedAt: never };
    const entry = entries.get(url) ?? { ...times, refreshPause: 0, isReachable: false };
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
      const keys = new ProviderKeys(await fetchDocument(url, { timeout, fetch }));
      if (keys.hasOtherThan(entry.keys)) entry.refreshPause = 0;
      entry.keys = keys;
      entry.fetchedAt = now();
      entry.isReachable = true;
      entry.refusal = undefined;
    } catch (error) {
      entry.isReachable = false;
      entry.refusal = findRefusal(error);
      entry.failedAt = now();
      log.warn({ error: describeFailure(error), url }, 'the keys of an identity provider cannot be fetched');
    }
  }

  /** False for an instant in the future: the adjustable clock was set back. */
  const isWithin = (instant: number, ms: number) => instant <= now() && now() < instant + ms;
  const isYoungerThan = (entry: CacheEntry, age: number) => entry.keys !== undefined && isWithin(entry.fetchedAt, age);

  return {
    async get(url) {
      const entry = findOrCreateEntry(url);
      const isPaused = isYoungerThan(entry, maxStaleMs) && isWithin(entry.failedAt, failurePauseMs);
      if (!isYoungerThan(entry, maxAgeMs) && !isPaused) await fetchShared(url, entry);
      return entry.keys !== undefined && isYoungerThan(entry, maxStaleMs) ? entry.keys : throwUnavailable(entry);
    },
    async refresh(url) {
      const entry = findOrCreateEntry(url);
      if (entry.pendingFetch === undefined) {
        if (isWithin(entry.refreshedAt, entry.refreshPause))
          return entry.isReachable ? undefined : throwUnavailable(entry);
        entry.refreshedAt = now();
        const { first, longest } = refreshPauseMs;
        entry.refreshPause = Math.min(longest, Math.max(first, 2 * entry.refreshPause));
      }
      await fetchShared(url, entry);
      return entry.isReachable ? entry.keys : throwUnavailable(entry);
    },
  };
}

function throwUnavailable({ refusal }: CacheEntry): never {
  throw createUnavailableError(refusal);
}
