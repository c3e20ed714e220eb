/**
 * Caches the JWK Sets of OpenID providers (RFC 7517), fetched on demand. Requests with unknown key ids cause at most one
 * fetch at a time per provider, followed by a cool-down.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { apiError } from '../../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { AddressNotAllowedError, type OutgoingFetch } from '../lib/outgoing-fetch.ts';

export interface JwkSetCache {
  /** Returns recent keys of a URL. @throws IamError PROVIDER_UNAVAILABLE if there are none and they cannot be fetched. */
  get(url: string): Promise<JWTVerifyGetKey>;
  /**
   * Fetches the keys again, for an unknown key id; undefined during the cool-down after the last refresh.
   * @throws IamError PROVIDER_UNAVAILABLE if they cannot be fetched.
   */
  refresh(url: string): Promise<JWTVerifyGetKey | undefined>;
}

export interface JwkSetCacheOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Timeout of a fetch in milliseconds. */
  readonly timeout: number;
  readonly fetch: OutgoingFetch;
}

const coolDownMs = 30_000;
/** Age at which keys are fetched again, so that withdrawn keys are no longer accepted. */
const maxAgeMs = 10 * 60_000;
/** Max age of cached keys while the provider is unreachable. */
const maxStaleMs = 24 * 3_600_000;
const maxDocumentBytes = 256 * 1024;

interface CacheEntry {
  keys?: JWTVerifyGetKey;
  fetchedAt: number;
  /** When keys were last fetched for an unknown key id. */
  refreshedAt: number;
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
      entry.keys = createLocalJWKSet(await fetchJwkSet(url, timeout, fetch));
      entry.fetchedAt = now();
      entry.isReachable = true;
      entry.refusal = undefined;
    } catch (error) {
      entry.isReachable = false;
      entry.refusal = error instanceof AddressNotAllowedError ? error.message : undefined;
      entry.failedAt = now();
      log.warn({ error: describeFailure(error), url }, 'the keys of an identity provider cannot be fetched');
    }
  }

  /** False for an instant in the future: the adjustable clock was set back. */
  const isWithin = (instant: number, ms: number) => instant <= now() && now() < instant + ms;
  const isWithinCoolDown = (instant: number) => isWithin(instant, coolDownMs);
  const isYoungerThan = (entry: CacheEntry, age: number) => entry.keys !== undefined && isWithin(entry.fetchedAt, age);

  return {
    async get(url) {
      const entry = findOrCreateEntry(url);
      const inCoolDown = isYoungerThan(entry, maxStaleMs) && isWithinCoolDown(entry.failedAt);
      if (!isYoungerThan(entry, maxAgeMs) && !inCoolDown) await fetchShared(url, entry);
      return entry.keys !== undefined && isYoungerThan(entry, maxStaleMs) ? entry.keys : throwUnavailable(entry);
    },
    async refresh(url) {
      const entry = findOrCreateEntry(url);
      if (entry.pendingFetch === undefined && isWithinCoolDown(entry.refreshedAt))
        return entry.isReachable ? undefined : throwUnavailable(entry);
      if (entry.pendingFetch === undefined) entry.refreshedAt = now();
      await fetchShared(url, entry);
      return entry.isReachable ? entry.keys : throwUnavailable(entry);
    },
  };
}

function throwUnavailable({ refusal }: CacheEntry): never {
  const error = apiError('PROVIDER_UNAVAILABLE');
  throw refusal === undefined ? error : error.withReason({ text: refusal });
}

/** @throws Error on timeout, a redirect, a status other than 200, a document that is too long, or invalid JSON. */
async function fetchJwkSet(url: string, timeout: number, fetch: OutgoingFetch): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeout),
  });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new Error(`the response has status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > maxDocumentBytes) throw new Error(`the response is longer than ${maxDocumentBytes} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JSONWebKeySet;
}

/** Without the stack: each login with an unreachable or refused provider logs it. */
function describeFailure(error: unknown): string {
  const { message = String(error), cause } = (error ?? {}) as Partial<Error>;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
