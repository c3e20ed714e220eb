/**
 * The keys that OpenID providers publish (RFC 7517), fetched when they are needed and kept for a while. However many
 * calls name keys that nobody knows, a provider is asked by one call at a time, and not again at once.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { fault } from '../../../contract/errors.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';

export interface KeySets {
  /** The keys at a URL, from not long ago. @throws IamError PROVIDER_UNAVAILABLE where there are none to be had. */
  known(url: string): Promise<JWTVerifyGetKey>;
  /**
   * The keys as they are now, for a key that is not among the known ones; undefined where they were asked for just now.
   * @throws IamError PROVIDER_UNAVAILABLE where they are out of reach.
   */
  renewed(url: string): Promise<JWTVerifyGetKey | undefined>;
}

export interface KeySetOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds that an answer may take. */
  readonly timeout: number;
}

const coolDownMs = 30_000;
/** After so long keys are fetched anew, and what was taken back is no longer taken. */
const freshMs = 10 * 60_000;
/** While the provider is out of reach, its last keys count so long. */
const longestMs = 24 * 3_600_000;
const longestDocument = 256 * 1024;

interface Entry {
  keys?: JWTVerifyGetKey;
  fetchedAt: number;
  /** When it was asked for the sake of a key that is not known, */
  renewedAt: number;
  /** and when it last was out of reach. */
  failedAt: number;
  reached: boolean;
  underWay?: Promise<void> | undefined;
}

export function createKeySets({ clock, log, timeout }: KeySetOptions): KeySets {
  const entries = new Map<string, Entry>();
  const now = () => clock.now().getTime();

  function entryOf(url: string): Entry {
    const never = Number.NEGATIVE_INFINITY;
    const entry = entries.get(url) ?? { fetchedAt: never, renewedAt: never, failedAt: never, reached: false };
    entries.set(url, entry);
    return entry;
  }

  function ask(url: string, entry: Entry): Promise<void> {
    entry.underWay ??= fetchInto(url, entry).finally(() => {
      entry.underWay = undefined;
    });
    return entry.underWay;
  }

  async function fetchInto(url: string, entry: Entry): Promise<void> {
    try {
      entry.keys = createLocalJWKSet(await fetchKeySet(url, timeout));
      entry.fetchedAt = now();
      entry.reached = true;
    } catch (error) {
      entry.reached = false;
      entry.failedAt = now();
      log.warn({ err: error, url }, 'the keys of an identity provider are out of reach');
    }
  }

  const justNow = (instant: number) => now() < instant + coolDownMs;
  const younger = (entry: Entry, age: number) => entry.keys !== undefined && now() < entry.fetchedAt + age;

  return {
    async known(url) {
      const entry = entryOf(url);
      const spared = younger(entry, longestMs) && justNow(entry.failedAt);
      if (!younger(entry, freshMs) && !spared) await ask(url, entry);
      return entry.keys !== undefined && younger(entry, longestMs) ? entry.keys : unreached();
    },
    async renewed(url) {
      const entry = entryOf(url);
      if (entry.underWay === undefined && justNow(entry.renewedAt)) return entry.reached ? undefined : unreached();
      if (entry.underWay === undefined) entry.renewedAt = now();
      await ask(url, entry);
      return entry.reached ? entry.keys : unreached();
    },
  };
}

function unreached(): never {
  throw fault('PROVIDER_UNAVAILABLE');
}

/** @throws whatever stands in the way: no answer in time, a redirect, another status, too long, no JSON. */
async function fetchKeySet(url: string, timeout: number): Promise<JSONWebKeySet> {
  const answer = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeout),
  });
  if (answer.status !== 200 || !answer.body) {
    await answer.body?.cancel();
    throw new Error(`the answer has status ${answer.status}`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body) {
    length += chunk.length;
    if (length > longestDocument) throw new Error(`the answer is longer than ${longestDocument} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JSONWebKeySet;
}
